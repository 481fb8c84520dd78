// Two ranked lists → one: how hybrid search is done with two engines, and what one index is compared with.

import { ranking } from "./evaluate.ts";
import type { Retrieved, Run } from "./judgements.ts";

/**
 * - `linear`: α·first + second; a document that a list lacks gets the list's lowest score (Pyserini's way)
 * - `min-max`: both lists scaled to 0 … 1 first; what a list lacks counts 0
 * - `rrf`: reciprocal ranks, Σ 1 / (60 + rank); scores do not matter
 */
export type FusionMethod =
  | { readonly kind: "linear" | "min-max"; readonly alpha: number }
  | { readonly kind: "rrf" };

/** The constant of the paper that proposed reciprocal rank fusion (Cormack et al. 2009). */
const RRF_CONSTANT = 60;

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

/** One query's lists, best first each, as one list. Equal scores keep the order of the first list, then the second. */
export function fuse(
  first: readonly Retrieved[],
  second: readonly Retrieved[],
  method: FusionMethod,
): Retrieved[] {
  const ids = new Set([...first, ...second].map(({ id }) => id));
  const [a, b] = [partOf(first, method), partOf(second, method)];
  const alpha = method.kind === "rrf" ? 1 : method.alpha;
  const fused = Array.from(ids, (id) => ({ id, score: alpha * a(id) + b(id) }));
  return fused.sort((x, y) => y.score - x.score);
}

/** What a list says about a document, present or not. */
function partOf(list: readonly Retrieved[], method: FusionMethod): (id: string) => number {
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
