// The contract of everything that scores: a query against every row of a block. The awaitable edge is the block,
// never the document, so a CPU pays for it once in thousands of rows and a GPU fits the same contract.
//
// A restricted score (the first of two stages) needs no method of its own: it is the score of a query whose other
// slots were taken out, see select.ts.

import type { QueryRow, Rows } from "../densify/rows.ts";

export interface Kernel {
  readonly name: string;

  /** Gated inner product: out[doc] = Σ q.value·d.value over slots whose indices agree, plus the semantic part. */
  gip(query: QueryRow, rows: Rows, out: Float64Array): Promise<void>;

  /** Inner product: the same without looking at the indices. */
  innerProduct(query: QueryRow, rows: Rows, out: Float64Array): Promise<void>;

  /** GIP of some documents only: out[i] belongs to docs[i]. */
  gipOf(query: QueryRow, rows: Rows, docs: ArrayLike<number>, out: Float64Array): Promise<void>;
}
