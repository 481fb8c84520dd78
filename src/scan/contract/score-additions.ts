// Additions to the scores of a segment's documents, by boosts, preferred phrases and other weights of text fields, and the range of
// it over some neighboring documents. The range lets a scan skip documents that nothing can lift among the best.

import { type CheckedBoost, computeBoost } from "../../documents/boost.ts";
import type { FieldNumbers } from "../../segment/columns/field-numbers.ts";

/** What one boost, phrase or change of weights adds to the score of each document. */
type ScoreAddition = BoostAddition | PhraseAddition | WeightsAddition;

/** What a boost makes of a number that each document has. It belongs to the `boost` of a hit. */
interface BoostAddition {
  readonly kind: "boost";
  readonly boost: CheckedBoost;
  readonly field: FieldNumbers;
}

/** What a preferred phrase adds: its weight times how near the words stand, from 0 to 1. It belongs to `boost`, too. */
interface PhraseAddition {
  readonly kind: "phrase";
  readonly weight: number;
  readonly field: FieldNumbers;
}

/** What other weights of text fields add: the numbers themselves. They belong to the lexical part of a score. */
interface WeightsAddition {
  readonly kind: "weights";
  readonly field: FieldNumbers;
}

/**
 * All that is added to scores in a segment. Boosts whose field the segment lacks are left out. Plain data, so that threads can
 * get it.
 */
export type ScoreAdditions = readonly ScoreAddition[];

/** What is added to a score, at least and at most. */
export interface AdditionRange {
  readonly least: number;
  readonly greatest: number;
}

/** The share of a range that rounding can be off: functions such as `log1p` may differ from the true value in their last bits. */
const SLACK = 2 ** -40;

/** What is added to the score of a document, all together. */
export function additionAt(additions: ScoreAdditions, local: number): number {
  let sum = 0;
  for (const addition of additions) {
    const number = addition.field.numbers[local];
    if (!Number.isNaN(number)) sum += computeAddition(addition, number);
  }
  return sum;
}

/** What is added for a number of a document. */
function computeAddition(addition: ScoreAddition, number: number): number {
  switch (addition.kind) {
    case "boost":
      return computeBoost(addition.boost, number);
    case "phrase":
      return addition.weight * number;
    case "weights":
      return number;
  }
}

/** What is added to the score of a document, in two parts: what belongs to the lexical part of the score, and the boosts. */
export function additionPartsAt(
  additions: ScoreAdditions,
  local: number,
): { lexical: number; boost: number } {
  let [lexical, boost] = [0, 0];
  for (const each of additions) {
    if (each.kind === "weights") lexical += additionAt([each], local);
    else boost += additionAt([each], local);
  }
  return { lexical, boost };
}

/** Bounds of the sum of all additions, over the documents from `first` on. */
export function additionRange(additions: ScoreAdditions, first: number, docs: number): AdditionRange {
  let [least, greatest, slack] = [0, 0, 0];
  for (const addition of additions) {
    const range = computeRange(addition, first, docs);
    least += range.least;
    greatest += range.greatest;
    slack += SLACK * Math.max(Math.abs(range.least), Math.abs(range.greatest));
  }
  return { least: least - slack, greatest: greatest + slack };
}

function computeRange(addition: ScoreAddition, first: number, docs: number): AdditionRange {
  const { blocks, blockDocs } = addition.field;
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const include = (added: number) => {
    least = Math.min(least, added);
    greatest = Math.max(greatest, added);
  };
  for (let block = Math.floor(first / blockDocs); block * blockDocs < first + docs; block++) {
    const range = blocks[block];
    if (!range.isComplete) include(0);
    if (range.least > range.greatest) continue;
    for (const number of extremes(addition, range.least, range.greatest))
      include(computeAddition(addition, number));
  }
  return { least, greatest };
}

/**
 * Numbers between two others where an addition is least and greatest: a decay turns at its origin, all others rise or fall
 * throughout.
 */
function extremes(addition: ScoreAddition, least: number, greatest: number): number[] {
  const origin = addition.kind === "boost" && "origin" in addition.boost ? addition.boost.origin : undefined;
  const isAround = origin !== undefined && origin > least && origin < greatest;
  return isAround ? [least, origin, greatest] : [least, greatest];
}
