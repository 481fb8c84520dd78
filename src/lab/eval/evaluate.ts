// A run and judgments → the metrics of each query, and their means.

import { compareBytes } from "../../support/bytes/byte-order.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { Qrels, Retrieved, Run } from "./judgments.ts";
import { metricNamed } from "./metrics.ts";

/**
 * The order in which a query's documents are ranked.
 * - `trec`: by score; equal scores by document id, descending in byte order
 * - `trec-float32`: the same with scores compared in single precision, as trec_eval did until 2023
 * - `stable`: by score; equal scores as written (BEIR's capped recall)
 * - `written`: as written, scores ignored (the MS MARCO script)
 */
export type RankingRule = "trec" | "trec-float32" | "stable" | "written";

export interface EvaluationOptions {
  readonly rule?: RankingRule | undefined;
  /** Judged queries that the run lacks: count them as 0 (`zero`, the default) or leave them out of the mean. */
  readonly missing?: "zero" | "skip" | undefined;
  /** Leave out documents that have the query's own id (ArguAna, Quora). */
  readonly excludeSelf?: boolean | undefined;
}

export interface Evaluation {
  /** Metric → mean. */
  readonly means: Map<string, number>;
  /** Metric → query → value. */
  readonly perQuery: Map<string, Map<string, number>>;
  /** Judged queries that the run lacks. */
  readonly missing: number;
  /** Queries of the run without judgments, which are ignored. */
  readonly unjudged: number;
}

/** Computes the named metrics for every judged query, and their means. */
export function evaluate(
  run: Run,
  qrels: Qrels,
  metrics: readonly string[],
  { rule = "trec", missing = "zero", excludeSelf = false }: EvaluationOptions = {},
): Evaluation {
  const named = metrics.map((name) => [name, metricNamed(name)] as const);
  const perQuery = new Map(metrics.map((name) => [name, new Map<string, number>()]));
  let absent = 0;
  for (const [query, grades] of qrels) {
    const retrieved = run.get(query);
    if (!retrieved) {
      absent++;
      if (missing === "skip") continue;
    }
    checkRetrieved(query, retrieved ?? []);
    const counted = (retrieved ?? []).filter(({ id }) => !excludeSelf || id !== query);
    const graded = {
      ranked: ranking(counted, rule).map(({ id }) => grades.get(id) ?? 0),
      judged: [...grades.values()],
    };
    for (const [name, metric] of named) {
      const value = metric(graded);
      if (value !== undefined) perQuery.get(name)!.set(query, value);
    }
  }
  return {
    means: new Map(metrics.map((name) => [name, meanOf([...perQuery.get(name)!.values()])])),
    perQuery,
    missing: absent,
    unjudged: [...run.keys()].filter((query) => !qrels.has(query)).length,
  };
}

/** Throws on a duplicate document and on a NaN score. trec_eval refuses both too. */
function checkRetrieved(query: string, retrieved: readonly Retrieved[]): void {
  const seen = new Set<string>();
  for (const { id, score } of retrieved) {
    if (seen.has(id)) throw new SluiceError(`query ${query} has document ${id} twice`);
    if (Number.isNaN(score)) throw new SluiceError(`query ${query}: the score of document ${id} is NaN`);
    seen.add(id);
  }
}

/** Sorts the documents of one query by the rule. */
export function ranking(retrieved: readonly Retrieved[], rule: RankingRule): readonly Retrieved[] {
  if (rule === "written") return retrieved;
  const score = rule === "trec-float32" ? (x: number) => Math.fround(x) : (x: number) => x;
  return [...retrieved].sort(
    (a, b) => score(b.score) - score(a.score) || (rule === "stable" ? 0 : compareBytes(b.id, a.id)),
  );
}

/** The mean; 0 of nothing. */
export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
