// The grades of a ranking → a number between 0 and 1. The rules are trec_eval's: a document with a grade of 1 or more is relevant;
// one without a grade, or with a grade below 0, is not.

import { SluiceError } from "../../support/errors/sluice-error.ts";

/** The grades of the retrieved documents, best rank first, and of all judged documents. */
interface Graded {
  readonly ranked: readonly number[];
  readonly judged: readonly number[];
}

/** Measures one query; undefined if the metric does not apply to the query, which then does not count in the mean. */
type Metric = (graded: Graded) => number | undefined;

const METRICS: Record<string, (k: number) => Metric> = {
  mrr: (k) => (graded) => {
    const first = graded.ranked.slice(0, k).findIndex(isRelevant);
    return first < 0 ? 0 : 1 / (first + 1);
  },
  recall: (k) => (graded) => ratio(countHits(graded, k), countRelevant(graded)),
  // BEIR's capped recall: at most k documents can be found. A query without relevant documents does not count.
  rcap: (k) => (graded) =>
    countRelevant(graded) === 0 ? undefined : countHits(graded, k) / Math.min(countRelevant(graded), k),
  precision: (k) => (graded) => countHits(graded, k) / k,
  success: (k) => (graded) => (countHits(graded, k) > 0 ? 1 : 0),
  map: (k) => (graded) => {
    let [found, sum] = [0, 0];
    graded.ranked.slice(0, k).forEach((grade, i) => {
      if (isRelevant(grade)) sum += ++found / (i + 1);
    });
    return ratio(sum, countRelevant(graded));
  },
  ndcg: (k) => (graded) => {
    const ideal = [...graded.judged].sort((a, b) => b - a);
    return ratio(discountedGain(graded.ranked, k), discountedGain(ideal, k));
  },
};

/** Metrics whose cutoff may be left out; they then look at the whole ranking. */
const WITHOUT_CUTOFF = ["map", "ndcg", "mrr"];

/** Returns the metric with a name such as ndcg@10, recall@100 or map. */
export function metricNamed(name: string): Metric {
  const [, family, cutoff] = /^([a-z]+)(?:@([1-9]\d*))?$/.exec(name.toLowerCase()) ?? [];
  const metric = family !== undefined && Object.hasOwn(METRICS, family) ? METRICS[family] : undefined;
  if (!metric || (cutoff === undefined && !WITHOUT_CUTOFF.includes(family))) {
    const known = Object.keys(METRICS).map((known) =>
      WITHOUT_CUTOFF.includes(known) ? `${known}[@k]` : `${known}@k`,
    );
    throw new SluiceError(
      `there is no metric ${JSON.stringify(name)}`,
      `the metrics are ${known.join(", ")}`,
    );
  }
  return metric(cutoff === undefined ? Number.POSITIVE_INFINITY : Number(cutoff));
}

function isRelevant(grade: number): boolean {
  return grade >= 1;
}

function countRelevant({ judged }: Graded): number {
  return judged.filter(isRelevant).length;
}

function countHits({ ranked }: Graded, k: number): number {
  return ranked.slice(0, k).filter(isRelevant).length;
}

function discountedGain(grades: readonly number[], k: number): number {
  return grades.slice(0, k).reduce((sum, grade, i) => sum + Math.max(0, grade) / Math.log2(i + 2), 0);
}

/** A query without anything relevant scores 0. */
function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
