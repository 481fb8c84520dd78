// What the bench runs in a tab: it opens the export in a worker, and asks.

import { openInWorker, type WorkerReader } from "../../src/browser/worker.ts";

/** Milliseconds by question: from the call to the hits, and what of it was searching. */
export interface Asked {
  readonly whole: number[];
  readonly searching: number[];
}

export interface BenchPage {
  /** Milliseconds until a first search could be asked. */
  open(url: string): Promise<number>;
  ask(queries: readonly string[], k: number): Promise<Asked>;
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
