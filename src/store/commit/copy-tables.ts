// The tables of an index in memory → the tables of a folder. Documents are compressed before: compress-copy.ts.

import type { Database, Key, Table } from "../database/database.ts";
import { type CommitRecord, putCommit } from "../record/commit-record.ts";
import { type NewGroups, putGroups } from "./group-tables.ts";
import { removeIndex } from "./write-commit.ts";

interface TableCopy {
  readonly record: CommitRecord;
  readonly documents: NewGroups;
  /** A segment's new name. */
  readonly nameOf: (segment: string) => string;
}

/** Replaces the index of `to`. Call it within a transaction of `to`. */
export function copyTables(from: Database, to: Database, { record, documents, nameOf }: TableCopy): void {
  removeIndex(to);
  to.pending.clearSync();
  copy(from.records, to.records);
  copy(from.ids, to.ids);
  copy(from.vocabulary, to.vocabulary);
  copy(from.dictionaries, to.dictionaries);
  for (const { key, value } of from.deletions.getRange({})) to.deletions.putSync(nameOf(key), value);
  putGroups(to, documents);
  putCommit(to, record);
}

function copy<K extends Key>(from: Table<K>, to: Table<K>): void {
  for (const { key, value } of from.getRange({})) to.putSync(key, value);
}

/** About how many bytes the copy takes in the database. */
export function estimateBytes(from: Database, { groups }: NewGroups): number {
  let bytes = groups.reduce((sum, { value }) => sum + value.length + 64, 0);
  for (const table of [from.records, from.ids, from.vocabulary, from.dictionaries]) {
    for (const { value } of (table as Table<never>).getRange({})) bytes += value.length + 64;
  }
  return bytes;
}
