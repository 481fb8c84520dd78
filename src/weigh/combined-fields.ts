// BM25 over several text fields (BM25F), with one score, as Lucene's CombinedFieldsQuery has it: counts, lengths and the average
// length are sums over the fields, each times the field's weight, and BM25 is computed of these sums. So a term that two fields
// repeat counts less than twice as much, as in one text.
//
// This is the definition. weigher.ts and search/additions/reweigh-fields.ts compute the same faster, and are tested against it.

import { type Bm25Parameters, type Statistics, termPart } from "./bm25.ts";

/** The sum over the fields: numbers[at], numbers[at + 1], …, each times the weight of its field. */
export function combinedSum(numbers: ArrayLike<number>, weights: ArrayLike<number>, at = 0): number {
  let sum = 0;
  for (let field = 0; field < weights.length; field++) sum += weights[field] * numbers[at + field];
  return sum;
}

/** The length of a document: a whole number, because lengths are stored in a byte. */
export function combinedLength(lengths: ArrayLike<number>, weights: ArrayLike<number>, at = 0): number {
  return Math.round(combinedSum(lengths, weights, at));
}

/** The average length of a document. `fieldLengths` are the terms of all documents together, by field. */
export function combinedAverage(
  { docs, fieldLengths = [] }: Pick<Statistics, "docs" | "fieldLengths">,
  weights: ArrayLike<number>,
): number {
  return docs === 0 ? 0 : combinedSum(fieldLengths, weights) / docs;
}

/**
 * The document's part of a term's weight, like `termPart`. `counts` says how often each field of the document has the term, and
 * `lengths` how many terms each field has.
 */
export function combinedPart(
  counts: ArrayLike<number>,
  lengths: ArrayLike<number>,
  weights: ArrayLike<number>,
  average: number,
  parameters: Bm25Parameters,
): number {
  const count = combinedSum(counts, weights);
  return count === 0 ? 0 : termPart(count, combinedLength(lengths, weights), average, parameters);
}
