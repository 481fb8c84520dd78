// A snapshot and the conditions of a search → the documents that may be hits: not deleted, not excluded, accepted by the filter
// and by the demands of the query.

import type { Segment } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Bits } from "../../support/numbers/bits.ts";
import type { HitConditions } from "./search-scope.ts";

const NONE: ReadonlySet<number> = new Set();

/** For each segment, the documents that may be hits. */
export function findAllowedDocuments({ segments }: Snapshot, conditions: HitConditions): Promise<Bits[]> {
  return Promise.all(
    segments.map(
      async (segment, i) => (await findAllowedIn(segment, i, conditions)) ?? Bits.all(segment.rowCount),
    ),
  );
}

/** The documents of the i-th segment that may be hits; undefined if all may. */
export async function findAllowedIn(
  segment: Segment,
  i: number,
  { excludedDocs = NONE, condition, meetingDemands }: HitConditions,
): Promise<Bits | undefined> {
  let allowed = condition ? (await segment.columns()).matching(condition) : undefined;
  if (meetingDemands) allowed = (allowed ?? Bits.all(segment.rowCount)).and(meetingDemands[i]);
  if (segment.deleted) allowed = (allowed ?? Bits.all(segment.rowCount)).andNot(segment.deleted);
  for (const doc of excludedDocs) {
    const local = doc - segment.first;
    if (local < 0 || local >= segment.rowCount) continue;
    allowed ??= Bits.all(segment.rowCount);
    allowed.clear(local);
  }
  return allowed;
}
