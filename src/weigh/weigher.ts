// The counted terms of a document → the weights that its row stores: the weights as they were given, or the document's
// part of BM25, times a factor for each term if there are factors.

import { averageLength, lengthPart } from "./bm25.ts";
import type { TermCounts, TermWeights } from "./term-weights.ts";
import type { Weighting } from "./weighting.ts";

/** A function that weights the terms of a document, given how often each occurs and how long the document is. */
export function createWeigher(weighting: Weighting): (terms: TermCounts, length: number) => TermWeights {
  if (weighting.kind === "weights") return ({ ids, counts }) => ({ ids, weights: counts });
  const { statistics, parameters } = weighting;
  const average = averageLength(statistics);
  return ({ ids, counts, factors }, length) => {
    const weights = new Float64Array(counts.length);
    const added = lengthPart(length, average, parameters); // as in termPart, computed once for all terms
    for (let i = 0; i < counts.length; i++) weights[i] = counts[i] / (counts[i] + added);
    if (factors) for (let i = 0; i < weights.length; i++) weights[i] *= factors[i];
    return { ids, weights };
  };
}
