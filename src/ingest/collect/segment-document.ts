// A document with counted terms, as the builder of a segment takes it.

import type { FieldCounts } from "../../segment/rows/field-lists.ts";
import type { Occurrences } from "../../segment/rows/position-lists.ts";
import type { TermCounts } from "../../weigh/term-weights.ts";

export interface SegmentDocument {
  readonly id: Uint8Array;
  readonly serial: number;
  readonly terms: TermCounts;
  /** How many terms its text has, repetitions included. */
  readonly length: number;
  /** How many of its terms the vocabulary lacks. */
  readonly unknown: number;
  /** Where its known terms stand, if the index keeps positions. */
  readonly occurrences?: Occurrences;
  /** How often each text field has its known terms, in their order, if the index has text fields. */
  readonly byField?: FieldCounts;
}
