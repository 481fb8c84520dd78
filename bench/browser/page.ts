// The part of the bench that runs in a tab: it opens the export in a worker and searches it.

import { openInWorker, type WorkerReader } from "../../src/browser/worker.ts";

/** By query: milliseconds from the call to the hits (`whole`), the part of them spent searching, and the hits. */
export interface Answers {
  readonly whole: number[];
  readonly searching: number[];
  readonly hits: { readonly id: string; readonly score: number; readonly semantic: number }[][];
}

export interface BenchPage {
  /** Returns the milliseconds until the first search is possible. */
  open(url: string): Promise<number>;
  ask(queries: readonly string[], k: number): Promise<Answers>;
}

let index: WorkerReader;

const page: BenchPage = {
  async open(url) {
    const started = performance.now();
    index = await openInWorker(url);
    return performance.now() - started;
  },

  async ask(queries, k) {
    const answers: Answers = { whole: [], searching: [], hits: [] };
    for (const query of queries) {
      const started = performance.now();
      const { hits, stats } = await index.search(query, { k });
      answers.whole.push(performance.now() - started);
      answers.searching.push(stats.firstStageMs + stats.secondStageMs);
      answers.hits.push(hits.map(({ id, score, semantic }) => ({ id, score, semantic })));
    }
    return answers;
  },
};

(globalThis as { bench?: BenchPage }).bench = page;
