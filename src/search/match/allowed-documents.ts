// A snapshot, a filter, ids and demands → the documents that may be hits: not deleted, not excluded, accepted by the filter, and
// meeting the demands of the query.

import type { Condition } from "../../documents/filter.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Bits } from "../../support/numbers/bits.ts";
import type { Turns } from "../../support/work/turns.ts";

const NONE: readonly never[] = [];

/** For each segment, the documents that may be hits; undefined if all may. If `meeting` is given, a hit must be in it, too. */
export async function findAllowedDocuments(
  snapshot: Snapshot,
  turns: Turns,
  condition?: Condition,
  excludedIds: readonly string[] = NONE,
  meeting?: readonly Bits[],
): Promise<(Bits | undefined)[]> {
  const { segments } = snapshot;
  // Most searches have no filter, and then nothing is awaited.
  const accepted = condition && (await findAccepted(segments, condition, turns));
  const excludedDocs = excludedIds.length > 0 ? excludedIds.map((id) => snapshot.docOf(id)) : NONE;
  return segments.map((segment, i) => {
    const all = () => Bits.all(segment.rowCount);
    let allowed = accepted?.[i];
    if (meeting) allowed = (allowed ?? all()).and(meeting[i]);
    if (segment.deleted) allowed = (allowed ?? all()).andNot(segment.deleted);
    for (const doc of excludedDocs) {
      if (doc === undefined || doc < segment.first || doc >= segment.first + segment.rowCount) continue;
      allowed ??= all();
      allowed.clear(doc - segment.first);
    }
    return allowed;
  });
}

/** For each segment, the documents that a filter accepts. */
async function findAccepted(
  segments: readonly Segment[],
  condition: Condition,
  turns: Turns,
): Promise<Bits[]> {
  const columns = await Promise.all(segments.map((segment) => segment.columns()));
  const accepted: Bits[] = [];
  for (const each of columns) accepted.push(await turns.run(each.findMatchingInSteps(condition)));
  return accepted;
}

/** The same documents as sets: all of a segment if all of it may be hits. */
export function toSets({ segments }: Snapshot, allowed: readonly (Bits | undefined)[]): Bits[] {
  return segments.map(({ rowCount }, i) => allowed[i] ?? Bits.all(rowCount));
}
