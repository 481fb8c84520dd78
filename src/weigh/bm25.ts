// Term counts → BM25 weights, as Lucene computes them, in two factors: the document's row stores the part that depends on
// the document, and the query has the idf. The product is Lucene's score. When the statistics behind the idf change, no
// row has to change.

export interface Bm25Parameters {
  /** How much repetition counts. Larger: the weight of a term grows with more repetitions. */
  readonly k1: number;
  /** How much length counts, from 0 to 1. Larger: terms of long documents get less weight. */
  readonly b: number;
}

export const BM25_DEFAULTS: Bm25Parameters = { k1: 0.9, b: 0.4 };

/** The statistics of a collection that BM25 needs. */
export interface Statistics {
  /** Documents with at least one term. */
  readonly docs: number;
  /** The terms of all documents together, repetitions included. With text fields: each times the weight of its field. */
  readonly length: number;
  /** The terms of all documents together, by text field, if the index has text fields. */
  readonly fieldLengths?: readonly number[];
  /** For each term id, in how many documents the term occurs. */
  readonly documentFrequencies: Uint32Array;
}

/** The average length of a document; 0 if there are no documents, because JSON has no NaN. */
export function averageLength({ docs, length }: Pick<Statistics, "docs" | "length">): number {
  return docs === 0 ? 0 : length / docs;
}

/** Inverse document frequency: ln(1 + (N − df + ½) / (df + ½)). Rare terms get more; it is never negative. */
export function idf(docs: number, documentFrequency: number): number {
  return Math.log(1 + (docs - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/** The idf of every term. */
export function idfs({ docs, documentFrequencies }: Statistics): Float64Array {
  return Float64Array.from(documentFrequencies, (df) => idf(docs, df));
}

/**
 * The document's part of a term's weight, between 0 and 1: tf / (tf + k1·(1 − b + b·length/average)). `average` is the
 * average length of a document.
 */
export function termPart(tf: number, length: number, average: number, parameters: Bm25Parameters): number {
  return tf / (tf + lengthPart(length, average, parameters));
}

/** What the document's length adds to the denominator of `termPart`: k1·(1 − b + b·length/average). */
export function lengthPart(length: number, average: number, { k1, b }: Bm25Parameters): number {
  return k1 * (1 - b + (b * roundLength(length)) / average);
}

/** A length as Lucene stores it: in one byte, exact up to 40, then with four significant bits. Exported for its test. */
export function roundLength(length: number): number {
  return byteToLength(lengthToByte(length));
}

/** Lengths below this have a byte of their own; longer ones share the other bytes. Lucene's value. */
const EXACT = 24;

/** The byte that Lucene stores for a length. Exported for its test. */
export function lengthToByte(length: number): number {
  return length < EXACT ? length : EXACT + longToByte(length - EXACT);
}

function byteToLength(byte: number): number {
  return byte < EXACT ? byte : EXACT + byteToLong(byte - EXACT);
}

/** A number in four significant bits and a shift. The leading bit is not stored. */
function longToByte(value: number): number {
  const bits = value === 0 ? 0 : Math.floor(Math.log2(value)) + 1;
  if (bits < 4) return value;
  const shift = bits - 4;
  return (Math.floor(value / 2 ** shift) & 7) | ((shift + 1) << 3);
}

function byteToLong(byte: number): number {
  const shift = (byte >> 3) - 1;
  return shift < 0 ? byte & 7 : ((byte & 7) | 8) * 2 ** shift;
}
