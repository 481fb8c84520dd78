// Pending changes → a commit: one transaction of the database that makes them all visible, or none.

import { type Counts, emptyTally } from "../densify/counts.ts";
import type { Slicing } from "../densify/slicing.ts";
import { addChecksum, bytesOfUint32s } from "../segment/checksum.ts";
import type { SegmentSource } from "../segment/segment.ts";
import type { Bits } from "../support/bits.ts";
import type { Weighting } from "../weigh/weighting.ts";
import { type CommitRecord, type CommittedSegment, putCommit } from "./commit-record.ts";
import type { Database } from "./database.ts";
import { putSlicing, putStatistics } from "./lexicon-store.ts";
import { TOKEN_RECORD } from "./lock.ts";
import { GONE, type Pending, serialBytes } from "./pending.ts";

/** A segment with the deletions it will have. */
export interface SegmentState {
  readonly entry: Omit<CommittedSegment, "deleted">;
  readonly source: SegmentSource;
  readonly deleted: Bits | undefined;
}

export interface Commit {
  readonly record: CommitRecord;
  readonly slicing: Slicing;
  /** Terms that the database has already. */
  readonly knownTerms: number;
  readonly weighting: Weighting;
  /** Everything that was there goes. */
  readonly replaces: boolean;
}

/** Writes all that is pending. Within a transaction. */
export function putPending(database: Database, pending: Pending): void {
  for (const { key, value } of database.pending.getRange({})) putId(database, key, value.readDoubleLE(0));
  for (const [id, serial] of pending.idsInOrder()) putId(database, Buffer.from(id), serial);
  database.pending.clearSync();
  pending.putDocuments();
}

/**
 * Removes the documents of segments that are not kept. Documents that were deleted from others stay in their groups
 * until segments are merged: `regroup.ts`. Within a transaction.
 */
export function removeDocumentsOf(
  database: Database,
  segments: readonly SegmentState[],
  kept: readonly SegmentState[],
  nextSerial: number,
): void {
  for (const [i, state] of segments.entries()) {
    if (kept.includes(state)) continue;
    // No group reaches over two segments; its last documents may be gone from the segment that it belongs to.
    const [start, end] = [state.source.serials[0], segments[i + 1]?.source.serials[0] ?? nextSerial];
    removeRange(database.documents, { start, end });
  }
}

/** Within a transaction. */
export function removeRange(table: Database["documents"], range: { start?: number; end?: number }): void {
  for (const key of [...table.getKeys(range)]) table.removeSync(key);
}

function putId(database: Database, id: Uint8Array, serial: number): void {
  if (serial === GONE) database.ids.removeSync(id);
  else database.ids.putSync(id, serialBytes(serial));
}

/** Removes what an earlier index left. Within a transaction. */
export function clearIndex(database: Database, firstSerial: number): void {
  database.ids.clearSync();
  database.deletions.clearSync();
  database.vocabulary.clearSync();
  for (const key of [...database.records.getKeys({})])
    if (key !== TOKEN_RECORD) database.records.removeSync(key);
  removeRange(database.documents, { end: firstSerial });
  removeRange(database.dictionaries, { end: firstSerial });
}

/** Writes the words and the record. Within a transaction. */
export function putModel(database: Database, { record, slicing, knownTerms, weighting }: Commit): void {
  if (knownTerms === 0) database.vocabulary.clearSync();
  putSlicing(database, slicing, knownTerms);
  if (weighting.kind === "bm25") putStatistics(database, weighting.statistics);
  putCommit(database, record);
}

/** Writes which documents of each segment are deleted. Within a transaction. */
export function putDeletions(
  database: Database,
  segments: readonly SegmentState[],
  changed: (name: string) => boolean,
): void {
  const names = new Set(segments.map(({ entry }) => entry.name));
  for (const name of [...database.deletions.getKeys({})]) {
    if (!names.has(name)) database.deletions.removeSync(name);
  }
  for (const { entry, deleted } of segments) {
    if (!deleted || !changed(entry.name)) continue;
    database.deletions.putSync(entry.name, addChecksum(bytesOfUint32s(deleted.words)));
  }
}

/** How segments stand in a record. */
export function committed(segments: readonly SegmentState[]): CommittedSegment[] {
  return segments.map(({ entry: { name, docs, bytes, checksum }, deleted }) => ({
    name,
    docs,
    bytes,
    checksum,
    deleted: deleted?.count() ?? 0,
  }));
}

/** What became of the terms of all segments together. Deleted documents count until they are merged away. */
export function totalCounts(segments: readonly SegmentState[]): Counts {
  const total = emptyTally();
  for (const { source } of segments) {
    for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += source.meta.counts[key];
  }
  return total;
}
