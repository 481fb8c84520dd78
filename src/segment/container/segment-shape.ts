// The header of a segment, as checks of parsed JSON. Commit records and exports have parts of it, too.

import {
  isAmount,
  isCount,
  isString,
  listOf,
  objectOf,
  oneOf,
  optional,
  type ShapeCheck,
} from "../../support/options/shapes.ts";

export const countsShape: ShapeCheck = objectOf({
  docs: isCount,
  empty: isCount,
  terms: isCount,
  kept: isCount,
  collisions: isCount,
  discarded: isCount,
  unknown: isCount,
  weightless: isCount,
});

export const settingsShape: ShapeCheck = objectOf({
  strategy: isString,
  dims: isCount,
  perSlice: isCount,
  discard: isCount,
  terms: isCount,
  vocabulary: isString,
  seed: optional(isAmount),
  table: optional(isString),
});

const starts = listOf(isCount);

/** The shape of product codes: see ProductShape. */
const productShape = objectOf({ parts: isCount, bits: isCount, dims: isCount, semanticDims: isCount });

const semanticShape = objectOf({
  widths: starts,
  windows: listOf(objectOf({ roundings: listOf(isAmount), longest: isAmount })),
  rotated: (value) => typeof value === "boolean",
  sketch: optional(productShape),
});

const layoutShape = objectOf({
  windowDocs: (value) => isCount(value) && (value as number) > 0,
  lexical: (value) =>
    objectOf({ kind: oneOf("gaps"), lists: isCount, windowBytes: starts })(value) ||
    objectOf({ kind: oneOf("inverted"), windowCells: starts, windowBytes: starts })(value),
  semantic: optional(semanticShape),
  quantized: optional(productShape),
});

/** The fields of a segment's header. */
export const SEGMENT_FIELDS: Readonly<Record<string, ShapeCheck>> = {
  kind: oneOf("segment"),
  docs: isCount,
  settings: settingsShape,
  semanticDims: isCount,
  counts: countsShape,
  averages: optional(objectOf({ low: isAmount, high: isAmount })),
  layout: optional(layoutShape),
};
