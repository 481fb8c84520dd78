// A field of the documents that filters can be made of, as the server describes it.

import type { FieldsAnswer, SearchAnswer } from "../../src/schemas/index.ts";
import { visible } from "../text/visible.ts";

export type Field = FieldsAnswer["fields"][number] & {
  /** Where most of its numbers are, if they are close together for its range. */
  readonly denseRange?: DenseRange;
};

/** A part of a range. Without a bound it goes on to the end of the range. */
export interface DenseRange {
  readonly from?: number;
  readonly below?: number;
}

export type Facet = NonNullable<SearchAnswer["facets"]>[number] & {
  /** How many of the best results were counted, where that is not all of them. */
  readonly countedBest?: number;
};

/** Bars in which the numbers of a field are counted. More do not fit beside each other. */
const BARS = 16;
/** Fields that say where a passage stands: nobody filters by them. */
const PLACES = /^passage\.(?:number|line|start|end)$/;

/** A field with the same value in every document is useless as a filter. */
export function isFilterable({ name, range, choices = [] }: Field): boolean {
  return !PLACES.test(name) && (choices.length > 1 || (range !== undefined && range.min < range.max));
}

/** The field that names the document of a passage, if the documents of the index are passages. */
export function groupFieldOf(fields: readonly Field[]): string | undefined {
  return fields.find(({ name }) => name === "passage.of")?.name;
}

/** What people read instead of the name of a field. */
export function fieldLabel(name: string): string {
  return name === "passage.of" ? "document" : visible(name);
}

/**
 * Neighboring ranges of the same width from the least number to the greatest. With a dense range: ranges within it, one for all
 * that is below it, and one for all that is above it. Whole numbers are not split.
 */
export function countedRanges(
  range: NonNullable<Field["range"]>,
  { from, below }: DenseRange = {},
): { gte?: number; lt?: number }[] {
  const max = below === undefined ? range.max : Number.isInteger(range.max) ? Math.ceil(below) - 1 : below;
  const min = from ?? range.min;
  const isWhole = Number.isInteger(min) && Number.isInteger(max);
  const bars = isWhole ? Math.min(BARS, max - min + 1) : BARS;
  const width = isWhole ? Math.ceil((max - min + 1) / bars) : (max - min) / bars;
  const begins = Array.from({ length: bars }, (_, i) => min + i * width).filter((begin) => begin <= max);
  const ends = begins.slice(1).concat(below ?? []);
  return [
    ...(from === undefined ? [] : [{ lt: from }]),
    // The last range is open, so that the greatest number is in it whatever rounding does.
    ...begins.map((gte, i) => ({ gte, ...(i < ends.length && { lt: ends[i] }) })),
    ...(below === undefined ? [] : [{ gte: below }]),
  ];
}
