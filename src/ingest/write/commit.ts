// Pending changes → a commit: one transaction that makes all of them visible, or none. The functions that write here belong
// inside such a transaction.

import { type Counts, createTally } from "../../densify/counts.ts";
import type { Slicing } from "../../densify/slicing.ts";
import { addChecksum, packUint32s } from "../../segment/container/checksum.ts";
import type { Database } from "../../store/database/database.ts";
import { TOKEN_RECORD } from "../../store/database/lock.ts";
import { serialBytes, serialIn } from "../../store/database/serial-value.ts";
import {
  type CommitRecord,
  type CommittedSegment,
  putCommit,
  type SegmentState,
} from "../../store/record/commit-record.ts";
import { putSlicing, putStatistics } from "../../store/record/lexicon-record.ts";
import type { Weighting } from "../../weigh/weighting.ts";
import { DELETED, type Pending } from "./pending.ts";

export interface Commit {
  readonly record: CommitRecord;
  readonly slicing: Slicing;
  /** How many terms the database has already. */
  readonly knownTerms: number;
  readonly weighting: Weighting;
  /** Whether it replaces an earlier index. */
  readonly replaces: boolean;
}

/** Writes pending ids and documents. */
export function putPending(database: Database, pending: Pending): void {
  for (const { key, value } of database.pending.getRange({})) putId(database, key, serialIn(value));
  for (const [id, serial] of pending.idsInOrder()) putId(database, Buffer.from(id), serial);
  database.pending.clearSync();
  pending.putDocuments();
}

function putId(database: Database, id: Uint8Array, serial: number): void {
  if (serial === DELETED) database.ids.removeSync(id);
  else database.ids.putSync(id, serialBytes(serial));
}

/**
 * Removes the documents of segments that are not kept. Documents that were deleted from other segments stay in their groups
 * until a merge: regroup.ts.
 */
export function removeDocumentsOf(
  database: Database,
  segments: readonly SegmentState[],
  kept: readonly SegmentState[],
  nextSerial: number,
): void {
  for (const [i, state] of segments.entries()) {
    if (kept.includes(state)) continue;
    // A group never spans two segments. Its last documents may be gone from its segment.
    const [start, end] = [state.source.serials[0], segments[i + 1]?.source.serials[0] ?? nextSerial];
    removeRange(database.documents, { start, end });
  }
}

export function removeRange(table: Database["documents"], range: { start?: number; end?: number }): void {
  for (const key of [...table.getKeys(range)]) table.removeSync(key);
}

/** Removes an index, except the writer's token. With `end`, documents from this serial number on stay. */
export function clearIndex(database: Database, end?: number): void {
  const range = end === undefined ? {} : { end };
  database.ids.clearSync();
  database.deletions.clearSync();
  database.vocabulary.clearSync();
  for (const key of [...database.records.getKeys({})])
    if (key !== TOKEN_RECORD) database.records.removeSync(key);
  removeRange(database.documents, range);
  removeRange(database.dictionaries, range);
}

/** Whether there are ids or documents that no commit has reached: `nextSerial` is the last commit's. */
export function hasUncommitted(database: Database, nextSerial: number): boolean {
  const isFilled = (keys: Iterable<unknown>) => !keys[Symbol.iterator]().next().done;
  return (
    isFilled(database.pending.getKeys({ limit: 1 })) ||
    isFilled(database.documents.getKeys({ start: nextSerial, limit: 1 })) ||
    isFilled(database.dictionaries.getKeys({ start: nextSerial, limit: 1 }))
  );
}

export function removeUncommitted(database: Database, nextSerial: number): void {
  database.pending.clearSync();
  removeRange(database.documents, { start: nextSerial });
  removeRange(database.dictionaries, { start: nextSerial });
}

/** Writes the terms, the statistics and the record. */
export function putTermsAndRecord(
  database: Database,
  { record, slicing, knownTerms, weighting }: Commit,
): void {
  if (knownTerms === 0) database.vocabulary.clearSync();
  putSlicing(database, slicing, knownTerms);
  if (weighting.kind === "bm25") putStatistics(database, weighting.statistics);
  putCommit(database, record);
}

/** Writes the deletions of segments whose deletions `changed`, and removes those of segments that are gone. */
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
    database.deletions.putSync(entry.name, addChecksum(packUint32s(deleted.words)));
  }
}

/** Segments as a record lists them. */
export function toCommittedSegments(segments: readonly SegmentState[]): CommittedSegment[] {
  return segments.map(({ entry: { name, docs, bytes, checksum }, deleted }) => ({
    name,
    docs,
    bytes,
    checksum,
    deleted: deleted?.count() ?? 0,
  }));
}

/** The counts of all segments together. Deleted documents count until a merge drops them. */
export function sumCounts(segments: readonly SegmentState[]): Counts {
  const total = createTally();
  for (const { source } of segments) {
    for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += source.meta.counts[key];
  }
  return total;
}
