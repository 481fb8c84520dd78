// What a commit changes → the tables of the database. Everything here is plain data: `ingest` says what changes, and this file how
// it is kept. Call these functions within a transaction, which makes all of it visible, or nothing.

import type { Slicing } from "../../densify/slicing.ts";
import { addChecksum, packUint32s } from "../../segment/container/checksum.ts";
import type { Weighting } from "../../weigh/weighting.ts";
import type { Database } from "../database/database.ts";
import { TOKEN_RECORD } from "../database/lock.ts";
import { type CommitRecord, putCommit, type SegmentState } from "../record/commit-record.ts";
import { putSlicing, putStatistics } from "../record/lexicon-record.ts";
import { type NewGroups, putGroups, removeGroups, removeRange } from "./group-tables.ts";
import { type ChangedIds, commitIds } from "./uncommitted.ts";

export interface Commit {
  readonly record: CommitRecord;
  readonly slicing: Slicing;
  /** How many terms the database has already. */
  readonly knownTerms: number;
  readonly weighting: Weighting;
  /** Documents with lower serial numbers belong to an earlier index, which the commit replaces; undefined if it replaces none. */
  readonly replacesBefore: number | undefined;
}

/** What the segments of a commit become. */
interface SegmentChanges {
  /** The segments before, in order. */
  readonly segments: readonly SegmentState[];
  /** The segments that the commit names, in order. */
  readonly kept: readonly SegmentState[];
  /** Whether the deletions of a segment changed. */
  readonly hasNewDeletions: (name: string) => boolean;
}

interface CommitChanges extends SegmentChanges {
  readonly ids: ChangedIds;
  readonly documents: NewGroups;
}

/** Writes a commit: the changed ids and documents, the deletions, the terms, the statistics and the record. */
export function writeCommit(database: Database, commit: Commit, changes: CommitChanges): void {
  const { record, slicing, knownTerms, weighting, replacesBefore } = commit;
  if (replacesBefore !== undefined) removeIndex(database, replacesBefore);
  commitIds(database, changes.ids);
  putGroups(database, changes.documents);
  removeDocumentsOf(database, changes, record.nextSerial);
  putDeletions(database, changes);
  if (knownTerms === 0) database.vocabulary.clearSync();
  putSlicing(database, slicing, knownTerms);
  if (weighting.kind === "bm25") putStatistics(database, weighting.statistics);
  putCommit(database, record);
}

/** Writes the commit of a merge. `isEmpty`: no document was left, so the merged segments have no successor. */
export function writeMerge(
  database: Database,
  record: CommitRecord,
  { isEmpty, ...changes }: SegmentChanges & { readonly isEmpty: boolean },
): void {
  if (isEmpty) removeDocumentsOf(database, changes, record.nextSerial);
  putDeletions(database, changes);
  putCommit(database, record);
}

/** Removes an index, except the writer's token. Documents with serial numbers from `keepFrom` on stay; by default none. */
export function removeIndex(database: Database, keepFrom?: number): void {
  const range = keepFrom === undefined ? {} : { end: keepFrom };
  database.ids.clearSync();
  database.deletions.clearSync();
  database.vocabulary.clearSync();
  for (const key of [...database.records.getKeys({})])
    if (key !== TOKEN_RECORD) database.records.removeSync(key);
  removeRange(database.documents, range);
  removeRange(database.dictionaries, range);
}

/**
 * Removes the documents of segments that are not kept. Documents that were deleted from other segments stay in their groups
 * until a merge: `ingest/merge/regroup.ts`.
 */
function removeDocumentsOf(
  database: Database,
  { segments, kept }: Pick<SegmentChanges, "segments" | "kept">,
  nextSerial: number,
): void {
  for (const [i, state] of segments.entries()) {
    if (kept.includes(state)) continue;
    // A group never spans two segments. Its last documents may be gone from its segment.
    const [start, end] = [state.source.serials[0], segments[i + 1]?.source.serials[0] ?? nextSerial];
    removeGroups(database, { start, end });
  }
}

/** Writes the deletions that changed, and removes the deletions of segments that are gone. */
function putDeletions(
  database: Database,
  { kept, hasNewDeletions }: Pick<SegmentChanges, "kept" | "hasNewDeletions">,
): void {
  const names = new Set(kept.map(({ entry }) => entry.name));
  for (const name of [...database.deletions.getKeys({})]) {
    if (!names.has(name)) database.deletions.removeSync(name);
  }
  for (const { entry, deleted } of kept) {
    if (!deleted || !hasNewDeletions(entry.name)) continue;
    database.deletions.putSync(entry.name, addChecksum(packUint32s(deleted.words)));
  }
}
