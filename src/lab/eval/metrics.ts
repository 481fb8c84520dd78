// A ranking and the grades of its query → a number between 0 and 1, by trec_eval's rules: relevant means a grade of
// at least 1; what is not judged, or judged below 0, is not relevant.

import { UsageError } from "../../errors.ts";

/** Grades of the retrieved documents from the first rank on, and of all judged documents. */
export interface Graded {
  readonly ranked: readonly number[];
  readonly judged: readonly number[];
}

/** A metric of one query; undefined where the query cannot be measured by it and must not count. */
export type Metric = (graded: Graded) => number | undefined;

const METRICS: Record<string, (k: number) => Metric> = {
  mrr: (k) => (graded) => {
    const first = graded.ranked.slice(0, k).findIndex(isRelevant);
    return first < 0 ? 0 : 1 / (first + 1);
  },
  recall: (k) => (graded) => ratio(hits(graded, k), relevant(graded)),
  // Capped at what k ranks can hold; a query without relevant documents does not count (SPEC 5.2).
  rcap: (k) => (graded) =>
    relevant(graded) === 0 ? undefined : hits(graded, k) / Math.min(relevant(graded), k),
  precision: (k) => (graded) => hits(graded, k) / k,
  success: (k) => (graded) => (hits(graded, k) > 0 ? 1 : 0),
  map: (k) => (graded) => {
    let [found, sum] = [0, 0];
    graded.ranked.slice(0, k).forEach((grade, i) => {
      if (isRelevant(grade)) sum += ++found / (i + 1);
    });
    return ratio(sum, relevant(graded));
  },
  ndcg: (k) => (graded) => {
    const ideal = [...graded.judged].sort((a, b) => b - a);
    return ratio(discountedGain(graded.ranked, k), discountedGain(ideal, k));
  },
};

/** Those that look at the whole ranking when no cutoff is given. */
const WITHOUT_CUTOFF = ["map", "ndcg", "mrr"];

/** The metric of a name such as ndcg@10, recall@100, map. */
export function metricNamed(name: string): Metric {
  const [, family, cutoff] = /^([a-z]+)(?:@([1-9]\d*))?$/.exec(name.toLowerCase()) ?? [];
  const metric = family !== undefined && Object.hasOwn(METRICS, family) ? METRICS[family] : undefined;
  if (!metric || (cutoff === undefined && !WITHOUT_CUTOFF.includes(family))) {
    const known = Object.keys(METRICS).map((known) =>
      WITHOUT_CUTOFF.includes(known) ? `${known}[@k]` : `${known}@k`,
    );
    throw new UsageError(`no metric is called ${JSON.stringify(name)}`, `there are ${known.join(", ")}`);
  }
  return metric(cutoff === undefined ? Number.POSITIVE_INFINITY : Number(cutoff));
}

function isRelevant(grade: number): boolean {
  return grade >= 1;
}

function relevant({ judged }: Graded): number {
  return judged.filter(isRelevant).length;
}

function hits({ ranked }: Graded, k: number): number {
  return ranked.slice(0, k).filter(isRelevant).length;
}

function discountedGain(grades: readonly number[], k: number): number {
  return grades.slice(0, k).reduce((sum, grade, i) => sum + Math.max(0, grade) / Math.log2(i + 2), 0);
}

/** A query without anything relevant scores 0. */
function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
