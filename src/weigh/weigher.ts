// Counted terms → weights, as a row stores them: what was given, or BM25's part of the counts.

import { lengthPart } from "./bm25.ts";
import type { TermWeights } from "./term-weights.ts";
import type { LexicalModel } from "./weighting.ts";

/** The weights of a document's terms, given how often each occurs and how long the document is. */
export function weigher(lexical: LexicalModel): (terms: TermWeights, length: number) => TermWeights {
  if (lexical.kind === "weights") return (terms) => terms;
  const { statistics, parameters } = lexical;
  const average = statistics.length / statistics.docs;
  return ({ ids, weights: counts }, length) => {
    const weights = new Float64Array(counts.length);
    const against = lengthPart(length, average, parameters); // termPart, with what is common to all terms taken out
    for (let i = 0; i < counts.length; i++) weights[i] = counts[i] / (counts[i] + against);
    return { ids, weights };
  };
}
