// The manifest of an export, as checks of parsed JSON. A page must not ask for gigabytes because a file of a few kilobytes says so.

import { TYPES, type TypeName } from "../../segment/container/container-format.ts";
import { SEGMENT_FIELDS } from "../../segment/container/segment-shape.ts";
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
import { ROW_FIELDS } from "../record/record-shape.ts";
import { PART_BYTES, type WebPart, type WebSection } from "./web-format.ts";

const part: ShapeCheck = (value) => {
  if (!objectOf({ bytes: isCount, stored: isCount, checksum: isCount })(value)) return false;
  const { bytes, stored } = value as WebPart;
  return stored <= bytes && bytes <= PART_BYTES;
};

const section: ShapeCheck = (value) => {
  if (
    !objectOf({ name: isString, type: oneOf(...Object.keys(TYPES)), bytes: isCount, parts: listOf(part) })(
      value,
    )
  )
    return false;
  const { type, bytes, parts } = value as WebSection;
  const sum = parts.reduce((sum, part) => sum + part.bytes, 0);
  return sum === bytes && bytes % TYPES[type as TypeName].BYTES_PER_ELEMENT === 0;
};

/** The fields of `index` in a manifest. */
export const INDEX_FIELDS: Readonly<Record<string, ShapeCheck>> = {
  ...ROW_FIELDS,
  vocabulary: optional(ROW_FIELDS.vocabulary),
  bm25: optional(objectOf({ k1: isAmount, b: isAmount, docs: isCount, length: isAmount })),
  semanticDims: isCount,
  generation: isCount,
  segment: objectOf(SEGMENT_FIELDS),
  documents: (value) => oneOf("all", "none")(value) || listOf(isString)(value),
  bytes: isCount,
  sections: listOf(section),
};
