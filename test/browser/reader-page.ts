// The program of the test's page. It opens exports, and answers the test's queries.

import type { Progress, Query, SearchOptions } from "../../src/browser/index.ts";
import { type SluiceError, SluiceReader } from "../../src/browser/index.ts";
import { openInWorker } from "../../src/browser/worker.ts";

type Reader = SluiceReader | Awaited<ReturnType<typeof openInWorker>>;

export interface PageApi {
  /** The error, if there was one. */
  open(
    where: "page" | "worker",
    url: string,
    kernel: "wasm" | "webgpu",
  ): Promise<{ problem: string; hint?: string } | { docs: number; kernel: string; progress: number }>;
  ask(questions: readonly { query: Query; options: SearchOptions }[]): Promise<unknown[]>;
}

let reader: Reader;

const api: PageApi = {
  async open(where, url, kernel) {
    let progress = 0;
    const onProgress = ({ done, total = done }: Progress) => {
      progress = done / total;
    };
    try {
      reader = await (where === "page" ? SluiceReader.open : openInWorker)(url, { kernel, onProgress });
    } catch (error) {
      const { problem, hint } = error as SluiceError;
      return { problem, ...(hint && { hint }) };
    }
    return { docs: reader.docs, kernel: reader.kernel.name, progress };
  },

  /** Hits, terms, an explanation of the best hit, and the stats of the search. */
  async ask(questions) {
    const answers = [];
    for (const { query, options } of questions) {
      try {
        const { hits, terms, stats } = await reader.search(query, options);
        const { lambda = 1 } = options;
        const why = hits.length > 0 ? await reader.explain(query, hits[0].id, { lambda }) : null;
        answers.push({ hits, terms, why, exact: stats.exact, kernel: stats.kernel });
      } catch (error) {
        answers.push({ error: (error as Error).message });
      }
    }
    return answers;
  },
};

(globalThis as { sluice?: PageApi }).sluice = api;
