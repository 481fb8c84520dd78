// Training queries → the best weight λ of the semantic part. The lexical and the semantic part of every score are computed once
// for each query. To try another λ then costs one multiplication and one addition for each document.

import type { Query } from "../../query/ask/query.ts";
import type { Sluice } from "../../sluice.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { topK } from "../../support/numbers/topk.ts";
import type { OnProgress } from "../../support/options/progress.ts";
import { scoreParts } from "./document-rows.ts";
import type { Qrels } from "./judgments.ts";
import { metricNamed } from "./metrics.ts";

export interface TuneOptions {
  /** The metric to maximize. Default: ndcg@10. */
  readonly metric?: string | undefined;
  /** The λ to try. Default: a search around the λ at which both parts weigh the same. */
  readonly lambdas?: readonly number[] | undefined;
  /** Leave out the document that has the query's own id. */
  readonly excludeSelf?: boolean | undefined;
  readonly onProgress?: OnProgress | undefined;
}

export interface Tuning {
  /** The mean of the metric at each λ, in ascending order of λ. */
  readonly curve: readonly { readonly lambda: number; readonly value: number }[];
  /** The best λ; the smallest of equally good ones. */
  readonly lambda: number;
  readonly value: number;
}

/** The depth of ranking that a metric needs: its cutoff, or all documents. */
function depthFor(metric: string, docs: number): number {
  const cutoff = /@(\d+)$/.exec(metric)?.[1];
  return cutoff === undefined ? docs : Number(cutoff);
}

/** Finds the λ with the best mean of the metric over the queries. */
export async function tuneLambda(
  index: Sluice,
  queries: readonly { readonly id: string; readonly query: Query }[],
  qrels: Qrels,
  { metric = "ndcg@10", lambdas, excludeSelf = false, onProgress }: TuneOptions = {},
): Promise<Tuning> {
  if (index.info().semanticDims === 0)
    throw new SluiceError("the index has no semantic part, so there is no λ to tune");
  if (queries.length === 0) throw new SluiceError("no queries to tune on");
  const measure = metricNamed(metric);
  const depth = depthFor(metric, index.docs);
  const ids = await index.listIds();
  const parts: ScoredQuery[] = [];
  for (const [done, { id, query }] of queries.entries()) {
    const { lexical, semantic } = await scoreParts(index, query);
    // Single precision is enough for a λ of three digits, and the parts of all queries are in memory at once.
    parts.push({
      lexical: Float32Array.from(lexical),
      semantic: Float32Array.from(semantic),
      grades: qrels.get(id) ?? new Map(),
      self: excludeSelf ? ids.indexOf(id) : -1,
    });
    onProgress?.({ task: "scoring", done: done + 1, total: queries.length });
  }
  const scores = new Float64Array(index.docs);
  const valueAt = (lambda: number) => {
    let sum = 0;
    for (const { lexical, semantic, grades, self } of parts) {
      for (let doc = 0; doc < scores.length; doc++) scores[doc] = lexical[doc] + lambda * semantic[doc];
      const ranked = Array.from(
        topK(scores, depth, (doc) => doc !== self),
        (doc) => grades.get(ids[doc]) ?? 0,
      );
      sum += measure({ ranked, judged: [...grades.values()] }) ?? 0;
    }
    return sum / Math.max(1, parts.length);
  };

  const found = new WeightSearch(valueAt);
  found.tryAll(lambdas ?? [0]);
  if (!lambdas) {
    found.tryAround(scaleOf(parts), 2, 6);
    found.tryAround(found.best.weight, 2 ** 0.25, 3);
  }
  const { weight: lambda, value } = found.best;
  if (value === 0)
    throw new SluiceError(
      `${metric} is 0 at every λ`,
      "check that the queries and judgments belong to this index",
    );
  const curve = [...found.values].map(([lambda, value]) => ({ lambda, value }));
  return { curve: curve.sort((a, b) => a.lambda - b.lambda), lambda, value };
}

/** Tries weights of one part against the other, each once, and remembers how good they are. */
export class WeightSearch {
  readonly values = new Map<number, number>();
  readonly #valueAt: (weight: number) => number;

  constructor(valueAt: (weight: number) => number) {
    this.#valueAt = valueAt;
  }

  tryAll(weights: Iterable<number>): void {
    for (const weight of weights)
      if (!this.values.has(weight)) this.values.set(weight, this.#valueAt(weight));
  }

  /** Tries a weight and `reach` geometric steps to both sides of it, rounded to three digits. */
  tryAround(center: number, ratio: number, reach: number): void {
    const exponents = Array.from({ length: 2 * reach + 1 }, (_, i) => i - reach);
    this.tryAll(exponents.map((exponent) => Number((center * ratio ** exponent).toPrecision(3))));
  }

  /** The best weight; the smallest of equally good ones. */
  get best(): { weight: number; value: number } {
    const all = [...this.values].map(([weight, value]) => ({ weight, value }));
    return all.reduce((a, b) => (b.value > a.value || (b.value === a.value && b.weight < a.weight) ? b : a));
  }
}

interface ScoredQuery {
  readonly lexical: Float32Array;
  readonly semantic: Float32Array;
  readonly grades: Map<string, number>;
  /** The `doc` to leave out, or −1. */
  readonly self: number;
}

/** The λ at which both parts' best scores weigh the same. */
function scaleOf(parts: readonly ScoredQuery[]): number {
  let [lexical, semantic] = [0, 0];
  for (const part of parts) {
    lexical += part.lexical.reduce((a, b) => Math.max(a, b), 0);
    semantic += part.semantic.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  }
  return lexical > 0 && semantic > 0 ? lexical / semantic : 1;
}
