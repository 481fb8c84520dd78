// The interface of all compressors: vectors become codes, and a query is scored against codes. An experiment compares
// them at equal bytes.

import type { CodeVectors, SparseVector } from "../../segment/codes/code-vectors.ts";

/** The codes of many vectors, one after the other, all of the same length. */
export type Codes = Uint8Array;

export interface Compressor {
  /** A name as in Faiss: PQ64, OPQ64, LSH6144. */
  readonly name: string;
  /** Bytes of a stored code. In memory a code may be padded or unpacked for speed. */
  readonly bytesPerVector: number;
  encode(vectors: CodeVectors): Codes;
  /** Fills `out` with a score for each code; higher is better. A score is an approximate inner product or a number of bits. */
  computeScores(codes: Codes, query: SparseVector, out: Float64Array): void;
}
