// What all compressors have in common, so that an experiment can compare them at equal bytes: vectors become codes,
// and a query is scored against codes.

import type { SparseVector, Vectors } from "../../segment/code-vectors.ts";

/** The codes of many vectors, one after the other, all of the same length. */
export type Codes = Uint8Array;

export interface Compressor {
  /** In the manner of Faiss: PQ64, OPQ64, LSH6144. */
  readonly name: string;
  /** What a vector takes when it is stored. In memory its code may be padded or unpacked for speed. */
  readonly bytesPerVector: number;
  encode(vectors: Vectors): Codes;
  /** Fills `out` with a score for each encoded vector, the more the better. Inner products, approximately, or bits. */
  scores(codes: Codes, query: SparseVector, out: Float64Array): void;
}
