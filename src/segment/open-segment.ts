// Header and sections → a segment, after the header was checked: its fields, and the lengths of the sections that it describes.

import { wrongField } from "../support/options/shapes.ts";
import type { Meta } from "./container/container-format.ts";
import { SEGMENT_FIELDS } from "./container/segment-shape.ts";
import { findWrongSection } from "./section-sizes.ts";
import { type Sections, type SegmentMeta, SegmentSource } from "./segment.ts";

/** A segment on disk, in memory or in an export, after its header was checked. `damaged` makes the error of what is wrong. */
export function openSource(
  name: string,
  meta: Meta,
  sections: Sections,
  damaged: (what: string) => Error,
): SegmentSource {
  const field = wrongField(meta, SEGMENT_FIELDS);
  if (field !== undefined) throw damaged(`its header has a wrong "${field}", or none`);
  const wrong = findWrongSection(meta as SegmentMeta, sections);
  if (wrong !== undefined) throw damaged(wrong);
  return new SegmentSource(name, meta as SegmentMeta, sections);
}
