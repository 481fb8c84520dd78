// The sections of a segment that a first stage holds in memory, as far as exact scores can be read from them. The second stage
// reads them there instead of reading rows.

import type { Row } from "../../densify/rows.ts";

/** The value of a posting, float16 bits. `posting` is its position among the postings of all windows. */
export type PostingValues = (posting: number) => number;

/** The semantic parts of exact scores. */
export interface SemanticParts {
  /** Writes the inner products with documents' vectors: dots[i] belongs to locals[i]. `locals` must ascend. */
  computeDots(vector: Float32Array, locals: Uint32Array, dots: Float64Array): void;
}

export interface ExactMemory {
  /** Whether it has packed posting lists, not lists of gaps, so that `sumLexicalParts` works. */
  readonly hasPackedLists: boolean;
  /** Whether the codes of its postings say their exact values. Otherwise `sumLexicalParts` needs the values. */
  readonly hasLevels: boolean;
  /** Whether memory is reserved for whole vectors. */
  readonly hasVectors: boolean;
  /** Writes the exact lexical parts of scores: sums[i] belongs to locals[i]. `locals` must ascend. */
  sumLexicalParts(
    row: Row,
    isGated: boolean,
    values: PostingValues | undefined,
    locals: Uint32Array,
    sums: Float64Array,
  ): void;
  /** The whole vectors. Only the first call reads them into memory; after a failure the next call tries again. */
  loadVectors(): Promise<SemanticParts>;
}
