// The tables of an index in memory → those of an index in a folder, in one transaction.

import { removeRange } from "./commit.ts";
import type { Database, Key, Table } from "./database.ts";
import { TOKEN_RECORD } from "./lock.ts";

/** Replaces everything but the writer's token. `nameOf` gives a segment's new name. Within a transaction of `to`. */
export function copyTables(from: Database, to: Database, nameOf: (segment: string) => string): void {
  to.ids.clearSync();
  to.deletions.clearSync();
  to.vocabulary.clearSync();
  to.pending.clearSync();
  removeRange(to.documents, {});
  removeRange(to.dictionaries, {});
  for (const key of [...to.records.getKeys({})]) if (key !== TOKEN_RECORD) to.records.removeSync(key);
  copy(from.records, to.records);
  copy(from.ids, to.ids);
  copy(from.vocabulary, to.vocabulary);
  copy(from.documents, to.documents);
  copy(from.dictionaries, to.dictionaries);
  for (const { key, value } of from.deletions.getRange({})) to.deletions.putSync(nameOf(key), value);
}

function copy<K extends Key>(from: Table<K>, to: Table<K>): void {
  for (const { key, value } of from.getRange({})) to.putSync(key, value);
}

/** About how much `copyTables` writes. */
export function tableBytes(from: Database): number {
  let bytes = 0;
  for (const table of [from.records, from.ids, from.vocabulary, from.documents, from.dictionaries]) {
    for (const { value } of (table as Table<never>).getRange({})) bytes += value.length + 64;
  }
  return bytes;
}
