// Two ranked lists → one. Two engines make a hybrid search this way; experiments compare our single index with it.

import { ranking } from "./evaluate.ts";
import type { Retrieved, Run } from "./judgments.ts";

/**
 * How two lists become one.
 * - `linear`: α·first + second; a document that a list lacks gets the list's lowest score (as in Pyserini)
 * - `min-max`: the same after scaling both lists to 0 … 1; a document that a list lacks gets 0
 * - `rrf`: reciprocal rank fusion, Σ 1 / (60 + rank); scores are ignored
 */
export type FusionMethod =
  | { readonly kind: "linear" | "min-max"; readonly alpha: number }
  | { readonly kind: "rrf" };

/** Added to every rank, as in Cormack et al. 2009. A smaller number gives the first ranks more weight. */
const RRF_CONSTANT = 60;

/** Merges two runs query by query and keeps the k best documents of each query. */
export function fuseRuns(first: Run, second: Run, method: FusionMethod, k = 1000): Run {
  const queries = new Set([...first.keys(), ...second.keys()]);
  const listOf = (run: Run, query: string) => ranking(run.get(query) ?? [], "trec"); // files need not be in order
  return new Map(
    [...queries].map((query) => [
      query,
      fuse(listOf(first, query), listOf(second, query), method).slice(0, k),
    ]),
  );
}

/** Merges two lists of one query, both best first. Equal scores keep the order of the first list, then the second. */
export function fuse(
  first: readonly Retrieved[],
  second: readonly Retrieved[],
  method: FusionMethod,
): Retrieved[] {
  const ids = new Set([...first, ...second].map(({ id }) => id));
  const [a, b] = [scoreIn(first, method), scoreIn(second, method)];
  const alpha = method.kind === "rrf" ? 1 : method.alpha;
  const fused = Array.from(ids, (id) => ({ id, score: alpha * a(id) + b(id) }));
  return fused.sort((x, y) => y.score - x.score);
}

/** Returns the score of any document in a list, including documents that the list lacks. */
function scoreIn(list: readonly Retrieved[], method: FusionMethod): (id: string) => number {
  if (list.length === 0) return () => 0;
  if (method.kind === "rrf") {
    const ranks = new Map(list.map(({ id }, i) => [id, i + 1]));
    return (id) => (ranks.has(id) ? 1 / (RRF_CONSTANT + ranks.get(id)!) : 0);
  }
  const scores = new Map(list.map(({ id, score }) => [id, score]));
  const all = list.map(({ score }) => score);
  const [lowest, highest] = [Math.min(...all), Math.max(...all)];
  if (method.kind === "linear") return (id) => scores.get(id) ?? lowest;
  const range = highest - lowest;
  return (id) => (scores.has(id) ? (range > 0 ? (scores.get(id)! - lowest) / range : 1) : 0);
}
