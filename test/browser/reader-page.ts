// What the test's page runs: it opens exports, and answers what the test asks.

import type { Query, SearchOptions } from "../../src/browser/index.ts";
import { SluiceReader } from "../../src/browser/index.ts";
import { openInWorker } from "../../src/browser/worker.ts";

type Reader = SluiceReader | Awaited<ReturnType<typeof openInWorker>>;

export interface PageApi {
  /** What went wrong, if anything. */
  open(
    where: "page" | "worker",
    url: string,
    kernel: "wasm" | "webgpu",
  ): Promise<{ message: string; hint?: string } | { size: number; kernel: string; progress: number }>;
  ask(questions: readonly { query: Query; options: SearchOptions }[]): Promise<unknown[]>;
}

let reader: Reader;

const api: PageApi = {
  async open(where, url, kernel) {
    let progress = 0;
    const onProgress = ({ done, total }: { done: number; total: number }) => {
      progress = done / total;
    };
    try {
      reader = await (where === "page" ? SluiceReader.open : openInWorker)(url, { kernel, onProgress });
    } catch (error) {
      const { message, hint } = error as { message: string; hint?: string };
      return { message, ...(hint && { hint }) };
    }
    return { size: reader.size, kernel: reader.kernel.name, progress };
  },

  /** Hits, terms, the best hit explained, and what the search says of itself. */
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
