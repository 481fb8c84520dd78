// Pending changes → a commit: one transaction of the database that makes them all visible, or none.

import type { Bits } from "../bits.ts";
import { type Counts, emptyTally } from "../densify/counts.ts";
import type { Slicing } from "../densify/slicing.ts";
import type { LexicalModel } from "../lexical/model.ts";
import { bytesOfUint32s, checked } from "./checked.ts";
import { type CommitRecord, type CommittedSegment, putCommit } from "./commit-record.ts";
import type { Database } from "./database.ts";
import { putSlicing, putStatistics } from "./lexicon-store.ts";
import { GONE, type Pending, serialBytes } from "./pending.ts";
import type { SegmentSource } from "./segment.ts";

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
  readonly lexical: LexicalModel;
  /** Everything that was there goes. */
  readonly replaces: boolean;
}

/** Writes all that is pending. Within a transaction. */
export function putPending(database: Database, pending: Pending, before: readonly SegmentState[]): void {
  for (const { key, value } of database.pending.getRange({})) putId(database, key, value.readDoubleLE(0));
  for (const [id, serial] of pending.ids) putId(database, Buffer.from(id), serial);
  database.pending.clearSync();
  pending.putDocuments(database);
  for (const { entry, source, deleted } of before) {
    const bits = pending.deleted.get(entry.name);
    if (!bits) continue;
    for (const doc of bits) if (!deleted?.get(doc)) database.documents.removeSync(source.serials[doc]);
  }
  for (const { entry, source } of pending.segments) {
    for (const doc of pending.deleted.get(entry.name) ?? []) {
      database.documents.removeSync(source.serials[doc]);
    }
  }
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
  for (const key of [...database.records.getKeys({})]) database.records.removeSync(key);
  for (const serial of [...database.documents.getKeys({ end: firstSerial })]) {
    database.documents.removeSync(serial);
  }
}

/** Writes the words and the record. Within a transaction. */
export function putModel(database: Database, { record, slicing, knownTerms, lexical }: Commit): void {
  if (knownTerms === 0) database.vocabulary.clearSync();
  putSlicing(database, slicing, knownTerms);
  if (lexical.kind === "bm25") putStatistics(database, lexical.statistics);
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
    database.deletions.putSync(entry.name, checked(bytesOfUint32s(deleted.words)));
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
