// Boosts of a search and a snapshot → what they add to the scores of a segment, and what each adds to one document.

import { type BoostPart, type CheckedBoost, computeBoost, toNumber } from "../../documents/boost.ts";
import type { ScoreAdditions } from "../../scan/contract/score-additions.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";

/** What fields add to the scores of a segment's documents. Boosts by a field that the segment lacks are left out. */
export async function loadBoostAdditions(
  { source }: Segment,
  boosts: readonly CheckedBoost[],
): Promise<ScoreAdditions> {
  const columns = await source.columns();
  const numbers = await Promise.all(
    boosts.map(({ field }) => source.loaded.get(`numbers of ${field}`, async () => columns.numbers(field))),
  );
  return boosts.flatMap((boost, i) => (numbers[i] ? [{ kind: "boost", boost, field: numbers[i] }] : []));
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
