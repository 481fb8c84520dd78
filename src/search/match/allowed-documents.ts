// A snapshot and the conditions of a search → the documents that may be hits: not deleted, not excluded, accepted by the filter
// and by the demands of the query.

import type { Condition } from "../../documents/filter.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Bits } from "../../support/numbers/bits.ts";

/** Which documents may be hits. */
interface HitConditions {
  /** The filter that documents must pass. */
  readonly condition?: Condition | undefined;
  /** Documents that must not be hits. */
  readonly excludedDocs?: ReadonlySet<number> | undefined;
  /** For each segment, the documents that meet the demands of the query. */
  readonly meetingDemands?: readonly Bits[] | undefined;
}

const NONE: ReadonlySet<number> = new Set();

/** For each segment, the documents that may be hits; undefined if all may. */
export async function findAllowedDocuments(
  { segments }: Snapshot,
  { condition, excludedDocs = NONE, meetingDemands }: HitConditions,
): Promise<(Bits | undefined)[]> {
  // Most searches have no filter, and then nothing is awaited.
  const accepted = condition && (await findAccepted(segments, condition));
  return segments.map((segment, i) => {
    let allowed = accepted?.[i];
    if (meetingDemands) allowed = (allowed ?? Bits.all(segment.rowCount)).and(meetingDemands[i]);
    if (segment.deleted) allowed = (allowed ?? Bits.all(segment.rowCount)).andNot(segment.deleted);
    for (const doc of excludedDocs) {
      const local = doc - segment.first;
      if (local < 0 || local >= segment.rowCount) continue;
      allowed ??= Bits.all(segment.rowCount);
      allowed.clear(local);
    }
    return allowed;
  });
}

/** For each segment, the documents that a filter accepts. */
function findAccepted(segments: readonly Segment[], condition: Condition): Promise<Bits[]> {
  return Promise.all(segments.map(async (segment) => (await segment.columns()).matching(condition)));
}

/** The same documents as sets: all of a segment if all of it may be hits. */
export function toSets({ segments }: Snapshot, allowed: readonly (Bits | undefined)[]): Bits[] {
  return segments.map(({ rowCount }, i) => allowed[i] ?? Bits.all(rowCount));
}
