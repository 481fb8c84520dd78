// What the search engine wants to find in a segment: beside its rows, or, where they are lists, instead of them.

import type { Rows } from "../densify/rows.ts";
import type { CodeShape } from "./code-shape.ts";
import type { SectionArray } from "./container-format.ts";
import {
  layOut as layOutRows,
  layOutMeanwhile as layOutRowsMeanwhile,
  type Layout as RowsLayout,
  type SemanticLayout,
} from "./layout.ts";

export type { SemanticLayout };

export type JsonObject = { readonly [key: string]: unknown };

export interface Layout {
  readonly meta: JsonObject;
  readonly sections: Readonly<Record<string, SectionArray>>;
  /** Whether the rows, vectors aside, can be had back from it. */
  readonly holdsRows: boolean;
}

/** What an index asks of the layout beyond the usual: product codes, for the plan `quantized`. */
export type Quantize = Partial<CodeShape>;

export function layOut(rows: Rows, quantize?: Quantize): Layout {
  return stored(layOutRows(rows, quantize ? { quantize } : {}));
}

/** The same, where others lay the vectors out meanwhile. */
export async function layOutMeanwhile(
  rows: Rows,
  quantize: Quantize | undefined,
  semantic: Promise<SemanticLayout>,
): Promise<Layout> {
  return stored(await layOutRowsMeanwhile(rows, quantize ? { quantize } : {}, semantic));
}

function stored({ meta, sections }: RowsLayout): Layout {
  return { meta: { ...meta }, sections, holdsRows: meta.lexical.kind === "inverted" };
}

/** Under which name a section of the layout stands in a segment. */
export function layoutSection(name: string): string {
  return `layout.${name}`;
}
