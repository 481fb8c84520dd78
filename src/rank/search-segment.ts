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
  lexicalParts(scanner: Scanner | undefined): Promise<LexicalParts>;
  /** Semantic parts of scores: from the vectors of the scanner if it has them, otherwise from rows. */
  semanticParts(scanner: Scanner | undefined): Promise<SemanticParts>;
}

/** A segment, and what a search opened of it. */
export interface OpenedSegment extends LoadedSegment {
  readonly dims: number;
  readonly lexicalParts: LexicalParts;
  readonly semanticParts: SemanticParts | undefined;
  /** False: all of its documents are scored, without a first stage. */
  readonly isScanned: boolean;
}

export interface LexicalParts {
  /** Writes the lexical parts of documents' scores: sums[i] belongs to locals[i]. `locals` must ascend. */
  sums(scores: ExactScores, locals: Uint32Array, sums: Float64Array): void;
}

export interface SemanticParts {
  /** Writes the inner products with documents' vectors (dot.ts): dots[i] belongs to locals[i]. `locals` must ascend. */
  dots(vector: Float32Array, locals: Uint32Array, dots: Float64Array): void;
}

/** Documents that the scratch space of `exactParts` holds. For more, each call allocates. */
const SCRATCH_DOCS = 4096;
const scratch = { lexical: new Float64Array(SCRATCH_DOCS), semantic: new Float64Array(SCRATCH_DOCS) };

/** Both parts of documents' exact scores, valid until the next call. `semanticParts` is needed if the query has a vector. */
export function exactParts(
  { lexicalParts, semanticParts }: Pick<OpenedSegment, "lexicalParts" | "semanticParts">,
  scores: ExactScores,
  locals: Uint32Array,
): { lexical: Float64Array; semantic: Float64Array } {
  const spaceIn = (array: Float64Array) =>
    locals.length <= SCRATCH_DOCS ? array.subarray(0, locals.length) : new Float64Array(locals.length);
  const [lexical, semantic] = [spaceIn(scratch.lexical), spaceIn(scratch.semantic)];
  lexicalParts.sums(scores, locals, lexical);
  if (scores.query.semantic) semanticParts!.dots(scores.query.semantic, locals, semantic);
  else semantic.fill(0);
  return { lexical, semantic };
}

/** Both parts of exact scores, from rows in memory. */
export function rowParts(rows: Rows): LexicalParts & SemanticParts {
  return {
    sums(scores, locals, sums) {
      for (let i = 0; i < locals.length; i++) sums[i] = scores.lexical(rows, locals[i]);
    },
    dots(vector, locals, dots) {
      for (let i = 0; i < locals.length; i++) {
        dots[i] = dotFloat16(vector, rows.semantic, locals[i] * rows.semanticDims);
      }
    },
  };
}

/** Lexical parts of scores from the posting lists of a scanner. The lists lack exact values, so `values` gives them. */
export function postingParts(scanner: Scanner, values: PostingValues): LexicalParts {
  return {
    sums: ({ query, gated }, locals, sums) => scanner.lexicalParts(query, gated, values, locals, sums),
  };
}
