// Term counts → BM25 weights, as Lucene computes them, cut in two: the document row stores the part that depends on
// the document, the query carries the idf. The product is Lucene's score, and the statistics behind the idf can
// change without touching a row.

export interface Bm25Parameters {
  /** How soon repetition stops counting. */
  readonly k1: number;
  /** How much a long document is held against its words. */
  readonly b: number;
}

export const BM25_DEFAULTS: Bm25Parameters = { k1: 0.9, b: 0.4 };

/** What BM25 knows about a collection. */
export interface Statistics {
  /** Documents with at least one term. */
  readonly docs: number;
  /** Terms in all of them. */
  readonly length: number;
  /** By term id, the documents that hold it. */
  readonly documentFrequencies: Uint32Array;
}

/** How much a term tells: ln(1 + (N − df + ½) / (df + ½)), never negative. */
export function idf(docs: number, documentFrequency: number): number {
  return Math.log(1 + (docs - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/** The idf of every term. */
export function idfs({ docs, documentFrequencies }: Statistics): Float64Array {
  return Float64Array.from(documentFrequencies, (df) => idf(docs, df));
}

/** The document's part of a term's weight, between 0 and 1: tf / (tf + k1·(1 − b + b·length/average)). */
export function termPart(
  tf: number,
  length: number,
  averageLength: number,
  parameters: Bm25Parameters,
): number {
  return tf / (tf + lengthPart(length, averageLength, parameters));
}

/** What a document's length is held against each of its words: k1·(1 − b + b·length/average). */
export function lengthPart(length: number, averageLength: number, { k1, b }: Bm25Parameters): number {
  return k1 * (1 - b + (b * storedLength(length)) / averageLength);
}

/** A length as Lucene remembers it: in one byte, exact to 40, then with four significant bits. */
export function storedLength(length: number): number {
  return lengthOfByte(byteOfLength(length));
}

/** Lengths below this have a byte each; the rest share what is left. */
const EXACT = 24;

export function byteOfLength(length: number): number {
  return length < EXACT ? length : EXACT + byteOfLong(length - EXACT);
}

export function lengthOfByte(byte: number): number {
  return byte < EXACT ? byte : EXACT + longOfByte(byte - EXACT);
}

/** Four significant bits and a shift; the leading bit is not written. */
function byteOfLong(value: number): number {
  const bits = value === 0 ? 0 : Math.floor(Math.log2(value)) + 1;
  if (bits < 4) return value;
  const shift = bits - 4;
  return (Math.floor(value / 2 ** shift) & 7) | ((shift + 1) << 3);
}

function longOfByte(byte: number): number {
  const shift = (byte >> 3) - 1;
  return shift < 0 ? byte & 7 : ((byte & 7) | 8) * 2 ** shift;
}
