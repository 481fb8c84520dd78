// Rows → what searching them fast needs: arrays to be stored beside the rows, and loaded into WebAssembly memories.

import type { Rows } from "../kernel/rows.ts";
import { type Inverted, invert } from "./inverted.ts";
import { cutIntoPlanes, type Planes } from "./planes.ts";
import { cutIntoSlices, type Slices } from "./slices.ts";
import { WINDOW_DOCS } from "./windows.ts";

/** The part that is not an array of its own: stored in the header of a segment. */
export interface LayoutMeta {
  readonly windowDocs: number;
  readonly lexical:
    | { readonly kind: "inverted"; readonly windowCells: readonly number[] }
    | { readonly kind: "slices"; readonly perSlice: number };
  readonly semantic?: Pick<Planes, "widths" | "windows"> & { readonly rotated: boolean };
}

export type LayoutArray = Uint8Array | Uint16Array | Uint32Array | Float32Array;

export interface Layout {
  readonly meta: LayoutMeta;
  readonly sections: Record<string, LayoutArray>;
}

export interface LayoutOptions {
  /** For tests: other windows than usual, or one of the two kinds. */
  readonly windowDocs?: number;
  readonly lexical?: "inverted" | "slices";
}

/** Slice-major from this share of filled slots on: two bytes a slot against three a posting, and no scattered sums. */
const FILLED = 0.5;

export function layOut(rows: Rows, options: LayoutOptions = {}): Layout {
  const windowDocs = options.windowDocs ?? WINDOW_DOCS;
  const lexical = lexicalLayout(rows, options.lexical ?? kindFor(rows), windowDocs);
  if (rows.semanticDims === 0) return { meta: { windowDocs, ...lexical.meta }, sections: lexical.sections };
  const { widths, windows, ...arrays } = cutIntoPlanes(rows, windowDocs);
  const semantic = { widths, windows, rotated: arrays.rotation !== undefined };
  return {
    meta: { windowDocs, ...lexical.meta, semantic },
    sections: { ...lexical.sections, ...(arrays as Record<string, LayoutArray>) },
  };
}

function kindFor(rows: Rows): "inverted" | "slices" {
  const filled = rows.starts[rows.docs] / Math.max(1, rows.docs * rows.dims);
  return filled >= FILLED && rows.indices.every((index) => index < 256) ? "slices" : "inverted";
}

function lexicalLayout(rows: Rows, kind: "inverted" | "slices", windowDocs: number) {
  if (kind === "inverted") {
    const { windowCells, ...sections }: Inverted = invert(rows, windowDocs);
    return { meta: { lexical: { kind, windowCells } }, sections };
  }
  const { perSlice, ...sections }: Slices = cutIntoSlices(rows, windowDocs);
  return { meta: { lexical: { kind, perSlice } }, sections };
}
