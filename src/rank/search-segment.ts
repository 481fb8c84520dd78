// What the engine needs of a segment: what a first stage scans, and the two parts of exact scores.

import type { Rows } from "../densify/rows.ts";
import type { LoadedSegment, ScannableSegment } from "../scan/first-stage.ts";
import type { PostingValues } from "../scan/wasm/exact-postings.ts";
import type { Scanner } from "../scan/wasm/scanner.ts";
import { dotFloat16 } from "./dot.ts";
import type { ExactScores } from "./exact.ts";

export interface SearchSegment extends ScannableSegment {
  /** The slices of its rows. */
  readonly dims: number;
  /** Lexical parts of scores: from the posting lists of the scanner if it has any, otherwise from rows. */
  words(scanner: Scanner | undefined): Promise<ExactWords>;
  /** Semantic parts of scores: from the vectors of the scanner if it has them, otherwise from rows. */
  vectors(scanner: Scanner | undefined): Promise<ExactVectors>;
}

/** A segment, and what a search opened of it. */
export interface OpenedSegment extends LoadedSegment {
  readonly dims: number;
  readonly words: ExactWords;
  readonly vectors: ExactVectors | undefined;
  /** False: all of its documents are scored, without a first stage. */
  readonly isScanned: boolean;
}

export interface ExactWords {
  /** Writes the lexical parts of documents' scores: sums[i] belongs to locals[i]. `locals` must ascend. */
  sums(ranking: ExactScores, locals: Uint32Array, sums: Float64Array): void;
}

export interface ExactVectors {
  /** Writes the inner products with documents' vectors (dot.ts): dots[i] belongs to locals[i]. `locals` must ascend. */
  dots(vector: Float32Array, locals: Uint32Array, dots: Float64Array): void;
}

/** Documents that the scratch space of `exactParts` holds. For more, each call allocates. */
const SCRATCH_DOCS = 4096;
const scratch = { lexical: new Float64Array(SCRATCH_DOCS), semantic: new Float64Array(SCRATCH_DOCS) };

/** Both parts of documents' exact scores, valid until the next call. `vectors` is needed if the query has a vector. */
export function exactParts(
  { words, vectors }: { readonly words: ExactWords; readonly vectors: ExactVectors | undefined },
  ranking: ExactScores,
  locals: Uint32Array,
): { lexical: Float64Array; semantic: Float64Array } {
  const spaceIn = (array: Float64Array) =>
    locals.length <= SCRATCH_DOCS ? array.subarray(0, locals.length) : new Float64Array(locals.length);
  const [lexical, semantic] = [spaceIn(scratch.lexical), spaceIn(scratch.semantic)];
  words.sums(ranking, locals, lexical);
  if (ranking.query.semantic) vectors!.dots(ranking.query.semantic, locals, semantic);
  else semantic.fill(0);
  return { lexical, semantic };
}

/** Both parts of exact scores, from rows in memory. */
export function residentRows(rows: Rows): ExactWords & ExactVectors {
  return {
    sums(ranking, locals, sums) {
      for (let i = 0; i < locals.length; i++) sums[i] = ranking.lexical(rows, locals[i]);
    },
    dots(vector, locals, dots) {
      for (let i = 0; i < locals.length; i++) {
        dots[i] = dotFloat16(vector, rows.semantic, locals[i] * rows.semanticDims);
      }
    },
  };
}

/** Lexical parts of scores from the posting lists of a scanner. The lists lack exact values, so `values` gives them. */
export function listedWords(scanner: Scanner, values: PostingValues): ExactWords {
  return {
    sums: ({ query, gated }, locals, sums) => scanner.words(query, gated, values, locals, sums),
  };
}
