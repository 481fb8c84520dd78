// The counted terms of a document → the weights that its row stores: the weights as they were given, or the document's
// part of BM25, times a factor for each term if there are factors.

import { toFloat16 } from "../support/numbers/float16.ts";
import { averageLength, lengthPart, lengthToByte } from "./bm25.ts";
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

/** Counts below this have their weights in a table. */
const TABLED_COUNTS = 256;

/**
 * Like `createWeigher`, but the function writes float16 bits into an array. BM25's weight depends on the count and on the byte of
 * the length, so each pair is computed once.
 */
export function createFloat16Weigher(
  weighting: Weighting,
): (terms: TermCounts, length: number, bits: Uint16Array, at: number) => void {
  const weigh = createWeigher(weighting);
  const writeAll = (terms: TermCounts, length: number, bits: Uint16Array, at: number) => {
    const { weights } = weigh(terms, length);
    for (let i = 0; i < weights.length; i++) bits[at + i] = toFloat16(weights[i]);
  };
  if (weighting.kind === "weights") return writeAll;
  const { statistics, parameters } = weighting;
  const average = averageLength(statistics);
  const tables: (Uint16Array | undefined)[] = []; // by the byte of a length: a weight for each count
  return (terms, length, bits, at) => {
    if (terms.factors) return writeAll(terms, length, bits, at);
    const byte = lengthToByte(length);
    tables[byte] ??= new Uint16Array(TABLED_COUNTS);
    const table = tables[byte];
    const { counts } = terms;
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i];
      // Counts of text fields may have fractions, and the table has no entry for them.
      let value = table[count];
      if (!value) {
        value = toFloat16(count / (count + lengthPart(length, average, parameters)));
        if (count < TABLED_COUNTS) table[count] = value;
      }
      bits[at + i] = value;
    }
  };
}
