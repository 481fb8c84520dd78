// What the engine needs of a segment: the two parts of exact scores, and a scanner that finds which documents deserve one.

import type { Rows } from "../densify/rows.ts";
import type { PostingValues } from "../scan/exact-postings.ts";
import type { Scanner } from "../scan/scanner.ts";
import type { Bits } from "../support/bits.ts";
import { dotFloat16 } from "./dot.ts";
import type { ExactScores } from "./exact.ts";

export interface SearchSegment {
  readonly docs: number;
  /** Slices of its rows. */
  readonly dims: number;
  /** The number of its first document among those of all segments. */
  readonly first: number;
  /** Documents that may be hits; undefined: all. */
  readonly allowed: Bits | undefined;
  scanner(): Promise<Scanner>;
  /** From the scanner's lists, where there is one and it has lists; otherwise from rows. */
  words(scanner: Scanner | undefined): Promise<ExactWords>;
  /** From the scanner, where there is one and it has them. */
  vectors(scanner: Scanner | undefined): Promise<ExactVectors>;
}

/** Documents ascend; what is asked of the i-th is put at place i. */
export interface ExactWords {
  /** The lexical parts of documents' scores. */
  sums(ranking: ExactScores, docs: Uint32Array, sums: Float64Array): void;
}

export interface ExactVectors {
  /** The inner products of documents' vectors with another, as kernel/dot.ts defines them. */
  dots(vector: Float32Array, docs: Uint32Array, dots: Float64Array): void;
}

/** Up to so many parts are written where those of the last call were. */
const ROOM = 4096;
const room = { lexical: new Float64Array(ROOM), semantic: new Float64Array(ROOM) };

/** Both parts of documents' exact scores, until the next call; vectors are there where the question has one. */
export function exactParts(
  { words, vectors }: { readonly words: ExactWords; readonly vectors: ExactVectors | undefined },
  ranking: ExactScores,
  docs: Uint32Array,
): { lexical: Float64Array; semantic: Float64Array } {
  const place = (array: Float64Array) =>
    docs.length <= ROOM ? array.subarray(0, docs.length) : new Float64Array(docs.length);
  const [lexical, semantic] = [place(room.lexical), place(room.semantic)];
  words.sums(ranking, docs, lexical);
  if (ranking.query.semantic) vectors!.dots(ranking.query.semantic, docs, semantic);
  else semantic.fill(0);
  return { lexical, semantic };
}

/** Words and vectors of rows that are in memory whole. */
export function residentRows(rows: Rows): ExactWords & ExactVectors {
  return {
    sums(ranking, docs, sums) {
      for (let i = 0; i < docs.length; i++) sums[i] = ranking.lexical(rows, docs[i]);
    },
    dots(vector, docs, dots) {
      for (let i = 0; i < docs.length; i++) {
        dots[i] = dotFloat16(vector, rows.semantic, docs[i] * rows.semanticDims);
      }
    },
  };
}

/** Words from the lists of a scanner, which hold all there is to know about them but the values. */
export function listedWords(scanner: Scanner, values: PostingValues): ExactWords {
  return {
    sums: ({ query, gated }, docs, sums) => scanner.words(query, gated, values, docs, sums),
  };
}
