// Rows → a layout: arrays for fast searches. A segment stores them beside its rows, or instead of them if they are posting
// lists. Searches load them into WebAssembly memories.

import type { Rows, Vectors } from "../densify/rows.ts";
import type { CodeShape } from "./codes/code-shape.ts";
import type { ProductShape } from "./codes/product-codes.ts";
import { trainProductCoder } from "./codes/product-training.ts";
import { cutIntoGapLists, type GapListSizes, MOST_GAP_INDICES } from "./lexical/gap-lists.ts";
import type { WindowStarts } from "./lexical/packed-cells.ts";
import { packLists } from "./lexical/packed-postings.ts";
import { toPostingLists } from "./lexical/postings.ts";
import { WINDOW_DOCS } from "./rows/windows.ts";
import { cutIntoPlanes, type Planes } from "./semantic/planes.ts";
import { createSketches } from "./semantic/sketches.ts";

/** The part of a layout that is stored in the header of a segment; the rest are arrays. */
export interface LayoutMeta {
  readonly windowDocs: number;
  /** `inverted` is the file format's word for packed posting lists, `gaps` for lists of gaps. */
  readonly lexical:
    | ({ readonly kind: "inverted" } & WindowStarts)
    | ({ readonly kind: "gaps" } & GapListSizes);
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

/** The part of a layout that is made from vectors alone, so that another thread can make it. */
export interface SemanticLayout {
  readonly meta: Pick<LayoutMeta, "semantic">;
  readonly sections: Record<string, LayoutArray>;
}

/** What the caller sets of the shape of product codes; the index needs them for the plan `quantized`. */
export type CodeOptions = Partial<CodeShape>;

interface LayoutOptions {
  /** Also makes product codes. */
  readonly quantize?: CodeOptions | undefined;
  /** Documents per window; for tests. */
  readonly windowDocs?: number;
  /** The kind of lexical layout; for tests. By default the rows decide. */
  readonly lexical?: "inverted" | "gaps";
}

/**
 * The share of filled slots from which posting lists have gaps. They take two bytes a posting in memory instead of three,
 * but rows are stored beside them.
 */
const FILLED = 0.5;

/** The name that an array of the layout has in a segment. */
export function layoutSection(name: string): string {
  return `layout.${name}`;
}

export function layOut(rows: Rows, options: LayoutOptions = {}): Layout {
  const semantic = rows.semanticDims > 0 ? layOutVectors(rows, options.windowDocs) : undefined;
  return joinParts(options, [layOutSlots(rows, options), semantic]);
}

/** `layOut` while another thread lays out the vectors. */
export async function layOutWithVectors(
  rows: Rows,
  options: LayoutOptions,
  semantic: Promise<SemanticLayout>,
): Promise<Layout> {
  return joinParts(options, [layOutSlots(rows, options), await semantic]);
}

interface LayoutPart {
  readonly meta: Partial<LayoutMeta>;
  readonly sections: Record<string, LayoutArray>;
}

function joinParts(
  { windowDocs = WINDOW_DOCS }: LayoutOptions,
  parts: readonly (LayoutPart | undefined)[],
): Layout {
  const made = parts.filter((part) => part !== undefined);
  return {
    meta: Object.assign({ windowDocs }, ...made.map(({ meta }) => meta)) as LayoutMeta,
    sections: Object.assign({}, ...made.map(({ sections }) => sections)),
  };
}

/** The part that is made from values and indices. */
function layOutSlots(rows: Rows, { lexical, quantize, windowDocs = WINDOW_DOCS }: LayoutOptions): LayoutPart {
  const { meta, sections } = layOutTerms(rows, lexical ?? chooseLexicalKind(rows), windowDocs);
  if (!quantize || rows.docs === 0) return { meta, sections };
  const product = layOutCodes(rows, quantize, windowDocs);
  return { meta: { ...meta, ...product.meta }, sections: { ...sections, ...product.sections } };
}

export function layOutVectors(vectors: Vectors, windowDocs = WINDOW_DOCS): SemanticLayout {
  const { widths, windows, isSpreadOut, ...planes } = cutIntoPlanes(vectors, windowDocs);
  const { shape, ...sketched } = isSpreadOut ? createSketches(vectors, windowDocs) : {};
  return {
    meta: {
      semantic: { widths, windows, rotated: planes.rotation !== undefined, ...(shape && { sketch: shape }) },
    },
    sections: { ...planes, ...sketched },
  };
}

function layOutCodes(rows: Rows, options: CodeOptions, windowDocs: number): LayoutPart {
  const coder = trainProductCoder(rows, options);
  const sections = { codebooks: coder.codebooks, codes: coder.encode(rows, windowDocs) };
  return { meta: { quantized: coder.shape }, sections };
}

function chooseLexicalKind(rows: Rows): "inverted" | "gaps" {
  const filled = rows.starts[rows.docs] / Math.max(1, rows.docs * rows.dims);
  return filled >= FILLED && rows.indices.every((index) => index < MOST_GAP_INDICES) ? "gaps" : "inverted";
}

/** Whether a layout reads the slots of a row in the order of their slices. Posting lists do not. */
export function readsSlotsInOrder(rows: Rows, quantize: CodeOptions | undefined): boolean {
  return quantize !== undefined || chooseLexicalKind(rows) === "gaps";
}

/** Posting lists, packed or of gaps. */
function layOutTerms(rows: Rows, kind: "inverted" | "gaps", windowDocs: number): LayoutPart {
  if (kind === "inverted") {
    const { starts, packed } = packLists(toPostingLists(rows, windowDocs), rows.docs, windowDocs);
    return { meta: { lexical: { kind, ...starts } }, sections: { ...packed } };
  }
  const { sizes, arrays } = cutIntoGapLists(rows, windowDocs);
  return { meta: { lexical: { kind, ...sizes } }, sections: { ...arrays } };
}
