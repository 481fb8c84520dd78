// The counted terms of a document → the weights that its row stores: the weights as they were given, or the document's
// part of BM25.

import { lengthPart } from "./bm25.ts";
import type { TermWeights } from "./term-weights.ts";
import type { Weighting } from "./weighting.ts";

/** A function that weighs the terms of a document, given how often each occurs and how long the document is. */
export function weigher(weighting: Weighting): (terms: TermWeights, length: number) => TermWeights {
  if (weighting.kind === "weights") return (terms) => terms;
  const { statistics, parameters } = weighting;
  const average = statistics.length / statistics.docs;
  return ({ ids, weights: counts }, length) => {
    const weights = new Float64Array(counts.length);
    const added = lengthPart(length, average, parameters); // as in termPart, computed once for all terms
    for (let i = 0; i < counts.length; i++) weights[i] = counts[i] / (counts[i] + added);
    return { ids, weights };
  };
}
