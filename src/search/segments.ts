// What the engine needs of a segment: rows for exact scores, and a scanner that finds which documents deserve one.

import type { Bits } from "../bits.ts";
import { dotFloat16 } from "../kernel/dot.ts";
import type { Rows } from "../kernel/rows.ts";
import type { Scanner } from "../scan/scanner.ts";

export interface SearchSegment {
  readonly docs: number;
  /** Slices of its rows. */
  readonly dims: number;
  /** The number of its first document among those of all segments. */
  readonly first: number;
  /** Documents that may be hits; undefined: all. */
  readonly allowed: Bits | undefined;
  exactRows(): Promise<ExactRows>;
  scanner(): Promise<Scanner>;
}

export interface ExactRows {
  /** Rows that hold a document's, and the number it has there; valid until the next call. */
  rowOf(doc: number): { readonly rows: Rows; readonly doc: number };
  /** The inner products of documents' vectors with another, as kernel/dot.ts defines them: dots[i] is that of docs[i]. */
  dots(vector: Float32Array, docs: Uint32Array, dots: Float64Array): void;
}

/** Rows that are in memory whole. */
export function residentRows(rows: Rows): ExactRows {
  const row = { rows, doc: 0 };
  return {
    rowOf(doc) {
      row.doc = doc;
      return row;
    },
    dots(vector, docs, dots) {
      for (let i = 0; i < docs.length; i++) {
        dots[i] = dotFloat16(vector, rows.semantic, docs[i] * rows.semanticDims);
      }
    },
  };
}
