// The fields that a commit record and the manifest of an export have in common, as checks of parsed JSON. A checksum says that
// bytes are as they were written. This says that they were written by this format.

import { countsShape, settingsShape } from "../../segment/container/segment-shape.ts";
import { isObject } from "../../support/options/options.ts";
import {
  isAmount,
  isCount,
  isString,
  isTrue,
  listOf,
  objectOf,
  oneOf,
  optional,
  type ShapeCheck,
} from "../../support/options/shapes.ts";

type ShapeChecks = Readonly<Record<string, ShapeCheck>>;

const encoder: ShapeCheck = (value) =>
  objectOf({
    path: isString,
    fingerprint: isString,
    description: isObject,
    queries: optional(encoder),
  })(value);

/** The fields that say how rows and queries are made. */
export const ROW_FIELDS: ShapeChecks = {
  lambda: isAmount,
  lexical: oneOf("bm25", "weights"),
  bm25: optional(objectOf({ k1: isAmount, b: isAmount })),
  analyzer: objectOf({
    name: isString,
    options: optional(isObject),
    rules: optional(isCount),
    dictionary: optional(isString),
    isCustom: optional(isTrue),
  }),
  settings: settingsShape,
  vocabulary: oneOf("open", "given", "sealed"),
  semanticDims: optional(isCount),
  encoder: optional(encoder),
  quantize: optional(objectOf({ parts: optional(isCount), bits: optional(isCount) })),
  positions: optional(isTrue),
  counts: countsShape,
};

/** The fields of a commit record. */
export const RECORD_FIELDS: ShapeChecks = {
  version: isCount,
  generation: isCount,
  epoch: isCount,
  nextSerial: isCount,
  nextSegment: isCount,
  segments: listOf(
    objectOf({ name: isString, docs: isCount, bytes: isCount, checksum: isCount, deleted: isCount }),
  ),
  untaught: optional(isTrue),
  ...ROW_FIELDS,
};
