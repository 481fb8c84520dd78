// Rows → what searching them fast needs: arrays to be stored beside the rows, and loaded into WebAssembly memories.

import type { Rows, Vectors } from "../densify/rows.ts";
import type { CodeShape } from "./code-shape.ts";
import { cutIntoPlanes, type Planes } from "./planes.ts";
import { type Inverted, invert } from "./postings.ts";
import { type ProductShape, trainProductCoder } from "./product-codes.ts";
import { sketchOf } from "./sketches.ts";
import { cutIntoSlices, type Slices } from "./slices.ts";
import { WINDOW_DOCS } from "./windows.ts";

/** The part that is not an array of its own: stored in the header of a segment. */
export interface LayoutMeta {
  readonly windowDocs: number;
  readonly lexical:
    | { readonly kind: "inverted"; readonly windowCells: readonly number[] }
    | { readonly kind: "slices"; readonly perSlice: number };
  readonly semantic?: Pick<Planes, "widths" | "windows"> & {
    readonly rotated: boolean;
    readonly sketch?: ProductShape;
  };
  readonly quantized?: ProductShape;
}

export type LayoutArray = Uint8Array | Uint16Array | Uint32Array | Float32Array;

export interface Layout {
  readonly meta: LayoutMeta;
  readonly sections: Record<string, LayoutArray>;
}

/** What is made of vectors alone, so that it can be made elsewhere. */
export interface SemanticLayout {
  readonly meta: Pick<LayoutMeta, "semantic">;
  readonly sections: Record<string, LayoutArray>;
}

export interface LayoutOptions {
  /** Product codes as well, for the plan `quantized`. */
  readonly quantize?: Partial<CodeShape>;
  /** For tests: other windows than usual, or one of the two kinds. */
  readonly windowDocs?: number;
  readonly lexical?: "inverted" | "slices";
}

/** Slice-major from this share of filled slots on: two bytes a slot against three a posting, and no scattered sums. */
const FILLED = 0.5;

export function layOut(rows: Rows, options: LayoutOptions = {}): Layout {
  const semantic = rows.semanticDims > 0 ? layOutVectors(rows, options.windowDocs) : undefined;
  return joined(options, [layOutSlots(rows, options), semantic]);
}

/** The same, where others lay the vectors out meanwhile. */
export async function layOutMeanwhile(
  rows: Rows,
  options: LayoutOptions,
  semantic: Promise<SemanticLayout>,
): Promise<Layout> {
  return joined(options, [layOutSlots(rows, options), await semantic]);
}

interface LayoutPart {
  readonly meta: Partial<LayoutMeta>;
  readonly sections: Record<string, LayoutArray>;
}

function joined(
  { windowDocs = WINDOW_DOCS }: LayoutOptions,
  parts: readonly (LayoutPart | undefined)[],
): Layout {
  const made = parts.filter((part) => part !== undefined);
  return {
    meta: Object.assign({ windowDocs }, ...made.map(({ meta }) => meta)) as LayoutMeta,
    sections: Object.assign({}, ...made.map(({ sections }) => sections)),
  };
}

/** What is made of values and indices. */
function layOutSlots(rows: Rows, { lexical, quantize, windowDocs = WINDOW_DOCS }: LayoutOptions): LayoutPart {
  const { meta, sections } = lexicalLayout(rows, lexical ?? kindFor(rows), windowDocs);
  if (!quantize || rows.docs === 0) return { meta, sections };
  const product = productLayout(rows, quantize, windowDocs);
  return { meta: { ...meta, ...product.meta }, sections: { ...sections, ...product.sections } };
}

export function layOutVectors(vectors: Vectors, windowDocs = WINDOW_DOCS): SemanticLayout {
  const { widths, windows, spreadOut, ...planes } = cutIntoPlanes(vectors, windowDocs);
  const { shape, ...sketched } = spreadOut ? sketchOf(vectors, windowDocs) : {};
  return {
    meta: {
      semantic: { widths, windows, rotated: planes.rotation !== undefined, ...(shape && { sketch: shape }) },
    },
    sections: { ...planes, ...sketched },
  };
}

function productLayout(rows: Rows, options: Partial<CodeShape>, windowDocs: number) {
  const coder = trainProductCoder(rows, options);
  const sections = { codebooks: coder.codebooks, codes: coder.encode(rows, windowDocs) };
  return { meta: { quantized: coder.shape }, sections };
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
