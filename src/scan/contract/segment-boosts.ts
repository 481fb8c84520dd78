// Boosts and the numbers of a segment's documents → what a document's fields add to its score, and the range of that over some
// neighboring documents. The range lets a scan skip documents that no boost can lift among the best.

import { boostOfNumber, type CheckedBoost } from "../../documents/boost.ts";
import type { FieldNumbers } from "../../documents/field-numbers.ts";

/** The boosts whose field the segment has. Plain data, so that threads can get it. */
export type SegmentBoosts = readonly {
  readonly boost: CheckedBoost;
  readonly field: FieldNumbers;
  /** Whether what it adds belongs to the lexical part of a score: other weights of text fields. */
  readonly isLexical?: boolean;
}[];

/** What the fields of a document add to its score, at least and at most. */
export interface BoostRange {
  readonly least: number;
  readonly greatest: number;
}

/** The share of a range that rounding can be off: functions such as `log1p` may differ from the true value in their last bits. */
const SLACK = 2 ** -40;

/** What the fields of a document add to its score, all boosts together. */
export function boostAt(boosts: SegmentBoosts, local: number): number {
  let sum = 0;
  for (const { boost, field } of boosts) {
    const number = field.numbers[local];
    if (!Number.isNaN(number)) sum += boostOfNumber(boost, number);
  }
  return sum;
}

/** The same in two parts: what belongs to the lexical part of the score, and the rest. */
export function boostPartsAt(boosts: SegmentBoosts, local: number): { lexical: number; boost: number } {
  let [lexical, boost] = [0, 0];
  for (const each of boosts) {
    if (each.isLexical) lexical += boostAt([each], local);
    else boost += boostAt([each], local);
  }
  return { lexical, boost };
}

/** The range of what fields add, over the documents from `first` on. */
export function boostRange(boosts: SegmentBoosts, first: number, docs: number): BoostRange {
  let [least, greatest, slack] = [0, 0, 0];
  for (const { boost, field } of boosts) {
    const range = rangeOf(boost, field, first, docs);
    least += range.least;
    greatest += range.greatest;
    slack += SLACK * Math.max(Math.abs(range.least), Math.abs(range.greatest));
  }
  return { least: least - slack, greatest: greatest + slack };
}

function rangeOf(
  boost: CheckedBoost,
  { blocks, blockDocs }: FieldNumbers,
  first: number,
  docs: number,
): BoostRange {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const include = (added: number) => {
    least = Math.min(least, added);
    greatest = Math.max(greatest, added);
  };
  for (let block = Math.floor(first / blockDocs); block * blockDocs < first + docs; block++) {
    const range = blocks[block];
    if (!range.isComplete) include(0);
    if (range.least > range.greatest) continue;
    for (const number of extremes(boost, range.least, range.greatest)) include(boostOfNumber(boost, number));
  }
  return { least, greatest };
}

/** Numbers between two others where a boost is least and greatest: a decay turns at its origin, all others rise or fall throughout. */
function extremes(boost: CheckedBoost, least: number, greatest: number): number[] {
  const isAround = "origin" in boost && boost.origin > least && boost.origin < greatest;
  return isAround ? [least, boost.origin, greatest] : [least, greatest];
}
