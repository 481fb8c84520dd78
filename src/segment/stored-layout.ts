// Rows → the layout that a segment stores for searches: beside its rows, or instead of them if the layout has posting lists.

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
  /** Whether the rows, without vectors, can be restored from it. */
  readonly holdsRows: boolean;
}

/** The shape of product codes, if the index needs them for the plan `quantized`. */
export type Quantize = Partial<CodeShape>;

export function layOut(rows: Rows, quantize?: Quantize): Layout {
  return toStored(layOutRows(rows, quantize ? { quantize } : {}));
}

/** The same, while another thread lays out the vectors. */
export async function layOutMeanwhile(
  rows: Rows,
  quantize: Quantize | undefined,
  semantic: Promise<SemanticLayout>,
): Promise<Layout> {
  return toStored(await layOutRowsMeanwhile(rows, quantize ? { quantize } : {}, semantic));
}

function toStored({ meta, sections }: RowsLayout): Layout {
  return { meta: { ...meta }, sections, holdsRows: meta.lexical.kind === "inverted" };
}

/** The name that a section of the layout has in a segment. */
export function layoutSection(name: string): string {
  return `layout.${name}`;
}
