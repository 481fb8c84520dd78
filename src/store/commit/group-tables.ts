// Groups of documents ↔ the tables of the database. Call the functions that write within a transaction.

import type { Database, ReadTransaction } from "../database/database.ts";
import { type Dictionary, putDictionary } from "../packed/dictionary.ts";
import { Group } from "../packed/group.ts";
import type { PackedGroup } from "../packed/pack.ts";

/** Groups that the database does not have yet. */
export interface NewGroups {
  readonly groups: readonly PackedGroup[];
  /** Their dictionary, if the database does not have it either. */
  readonly dictionary: Dictionary | undefined;
}

/** Serial numbers, `end` excluded. */
interface SerialRange {
  readonly start?: number;
  readonly end?: number;
}

export function putGroups(database: Database, { groups, dictionary }: NewGroups): void {
  if (dictionary && groups.length > 0) putDictionary(database, dictionary);
  for (const { last, value } of groups) database.documents.putSync(last, value);
}

/** Removes the groups whose last serial numbers are in a range. */
export function removeGroups(database: Database, range: SerialRange): void {
  removeRange(database.documents, range);
}

/** The groups whose last serial numbers are in a range, as the transaction sees them. */
export function* groupsBetween(
  database: Database,
  range: Required<SerialRange>,
  transaction: ReadTransaction,
): Generator<Group> {
  for (const last of [...database.documents.getKeys({ ...range, transaction })]) {
    yield new Group(database.documents.get(last, { transaction })!, last, database.path);
  }
}

export function removeRange(table: Database["documents"], range: SerialRange): void {
  for (const key of [...table.getKeys(range)]) table.removeSync(key);
}
