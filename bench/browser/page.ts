// The part of the bench that runs in a tab: it opens the export in a worker and searches it.

import { openInWorker, type WorkerReader } from "../../src/browser/worker.ts";

/** Milliseconds per query: from the call to the hits (`whole`), and the part spent searching. */
export interface QueryTimes {
  readonly whole: number[];
  readonly searching: number[];
}

export interface BenchPage {
  /** Returns the milliseconds until the first search is possible. */
  open(url: string): Promise<number>;
  ask(queries: readonly string[], k: number): Promise<QueryTimes>;
}

let index: WorkerReader;

const page: BenchPage = {
  async open(url) {
    const started = performance.now();
    index = await openInWorker(url);
    return performance.now() - started;
  },

  async ask(queries, k) {
    const [whole, searching]: [number[], number[]] = [[], []];
    for (const query of queries) {
      const started = performance.now();
      const { stats } = await index.search(query, { k });
      whole.push(performance.now() - started);
      searching.push(stats.firstStageMs + stats.secondStageMs);
    }
    return { whole, searching };
  },
};

(globalThis as { bench?: BenchPage }).bench = page;
