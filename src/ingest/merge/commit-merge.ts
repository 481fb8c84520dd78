// A merged segment takes the place of the segments it was made from, in a commit of its own.

import type { SegmentEntry } from "../../segment/segment-file.ts";
import { writeMerge } from "../../store/commit/write-commit.ts";
import {
  type CommitRecord,
  type SegmentState,
  sumCounts,
  toCommittedSegments,
} from "../../store/record/commit-record.ts";
import { Bits } from "../../support/numbers/bits.ts";
import type { Writer } from "../write/writer.ts";
import type { SegmentSerials } from "./regroup.ts";

/** The index of the first of these neighbors among the segments of the last commit; −1 if one of them is gone. */
export function findNeighbors(segments: readonly SegmentState[], now: readonly SegmentState[]): number {
  const at = now.findIndex(({ source }) => source === segments[0].source);
  return segments.every(({ source }, i) => now[at + i]?.source === source) ? at : -1;
}

/** Commits a merge. Pending changes stay pending. `entry` is undefined if no document was left. */
export async function commitMerge(
  writer: Writer,
  from: readonly SegmentState[],
  entry: SegmentEntry | undefined,
): Promise<void> {
  const { storedSegments, database, pool } = writer.medium;
  const { record } = writer.base!;
  const { pending } = writer;
  const now = writer.segments();
  const at = findNeighbors(from, now);
  const source = entry && pool.acquire(entry);
  try {
    // Documents deleted while the merge ran: by commits, and by pending changes.
    const deleted = source && carryOver(from, source, (_, i) => now[at + i].deleted);
    const pendingDeleted = source && carryOver(from, source, ({ entry }) => pending.deleted.get(entry.name));
    const merged = entry && source ? [{ entry, source, deleted }] : [];
    const segments = [...now.slice(0, at), ...merged, ...now.slice(at + from.length)];
    const next: CommitRecord = {
      ...record,
      generation: record.generation + 1,
      nextSegment: Math.max(record.nextSegment, writer.names.next),
      segments: toCommittedSegments(segments),
      counts: sumCounts(segments),
    };
    writer.write(() =>
      writeMerge(database, next, {
        segments: now,
        kept: segments,
        hasNewDeletions: (name) => name === entry?.name,
        isEmpty: !entry,
      }),
    );
    for (const { entry } of from) pending.deleted.delete(entry.name);
    if (entry && pendingDeleted) {
      pending.deleted.set(entry.name, deleted ? pendingDeleted.or(deleted) : pendingDeleted);
    }
    writer.advance(next);
  } finally {
    if (source) pool.release(source);
  }
  await storedSegments.remove(from.map(({ entry }) => entry.name));
}

/** A segment of the last commit with the serial numbers between its neighbors'; undefined if it is gone. */
export function findSegmentSerials(writer: Writer, name: string): SegmentSerials | undefined {
  const segments = writer.segments();
  const at = segments.findIndex(({ entry }) => entry.name === name);
  if (at < 0) return undefined;
  const { nextSerial } = writer.base!.record;
  const start = (segments[at - 1]?.source.serials.at(-1) ?? 0) + 1;
  const end = segments[at + 1]?.source.serials[0] ?? nextSerial;
  return { segment: segments[at], start, end, nextSerial };
}

/** Deletions of merged segments → deletions of the segment they became. The merge dropped earlier ones already. */
function carryOver(
  from: readonly SegmentState[],
  into: SegmentState["source"],
  deletedOf: (state: SegmentState, i: number) => Bits | undefined,
): Bits | undefined {
  let carried: Bits | undefined;
  for (const [i, state] of from.entries()) {
    for (const local of deletedOf(state, i) ?? []) {
      const target = into.localOf(state.source.serials[local]);
      if (target === undefined) continue;
      carried ??= new Bits(into.rowCount);
      carried.set(target);
    }
  }
  return carried;
}
