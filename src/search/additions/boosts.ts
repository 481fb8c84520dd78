// Boosts of a search and a snapshot → what they add to the scores of a segment, and what each adds to one document.

import { type BoostPart, type CheckedBoost, computeBoost, toNumber } from "../../documents/boost.ts";
import type { ScoreAdditions } from "../../scan/contract/score-additions.ts";
import type { FieldNumbers } from "../../segment/columns/field-numbers.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";

/** What fields add to the scores of a segment's documents. Boosts by a field that the segment lacks are left out. */
export async function loadBoostAdditions(
  { source }: Segment,
  boosts: readonly CheckedBoost[],
): Promise<ScoreAdditions> {
  const numbers = await Promise.all(boosts.map(({ field }) => loadNumbers(source, field)));
  return boosts.flatMap((boost, i) => (numbers[i] ? [{ kind: "boost", boost, field: numbers[i] }] : []));
}

/** Whether some document has a number in a field. */
export async function hasNumbers({ segments }: Snapshot, field: string): Promise<boolean> {
  const loaded = await Promise.all(segments.map(({ source }) => loadNumbers(source, field)));
  return loaded.some((numbers) => numbers?.blocks.some(({ least, greatest }) => least <= greatest));
}

async function loadNumbers(source: Segment["source"], field: string): Promise<FieldNumbers | undefined> {
  const columns = await source.columns();
  return source.loaded.get(`numbers of ${field}`, async () => columns.numbers(field));
}

/** What each boost adds to a document, in the order of the boosts. */
export async function computeBoostParts(
  snapshot: Snapshot,
  doc: number,
  boosts: readonly CheckedBoost[],
): Promise<BoostPart[]> {
  const { source, first } = snapshot.segmentOf(doc);
  const columns = await source.columns();
  return boosts.map((boost) => {
    const { field } = boost;
    const value = columns.valueOf(doc - first, field);
    const number = value === undefined ? undefined : toNumber(value);
    if (number === undefined) return { field, contribution: 0 };
    return { field, value: number, contribution: computeBoost(boost, number) };
  });
}
