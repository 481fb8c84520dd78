// Ids and documents that no commit has reached ↔ the tables of the database. They wait there without taking memory. Readers do not
// see them; the next commit takes them over, or the next writer removes them. Call the functions that write within a transaction.

import type { Database, ReadTransaction } from "../database/database.ts";
import { serialBytes, serialIn, serialOf } from "../database/serial-value.ts";
import { removeGroups, removeRange } from "./group-tables.ts";

/** Stands for the serial number of a deleted id. */
export const DELETED = 0;

/** Changed ids in their order, with their serial numbers, or DELETED. */
export type ChangedIds = Iterable<readonly [id: string, serial: number]>;

/** Where ids are looked for. */
interface StoredIds {
  readonly database: Database;
  /** False if the committed ids belong to an index that is to be replaced. */
  readonly hasBase: boolean;
}

/** Lets changed ids wait in the database. */
export function putUncommittedIds(database: Database, ids: ChangedIds): void {
  for (const [id, serial] of ids) database.pending.putSync(Buffer.from(id), serialBytes(serial));
}

/** Commits the ids that wait in the database, then others. */
export function commitIds(database: Database, ids: ChangedIds): void {
  for (const { key, value } of database.pending.getRange({})) putId(database, key, serialIn(value));
  for (const [id, serial] of ids) putId(database, Buffer.from(id), serial);
  database.pending.clearSync();
}

function putId(database: Database, id: Uint8Array, serial: number): void {
  if (serial === DELETED) database.ids.removeSync(id);
  else database.ids.putSync(id, serialBytes(serial));
}

/** The serial number of an id, uncommitted ones included; DELETED or undefined if there is no such document. */
export function findStoredSerial({ database, hasBase }: StoredIds, id: Uint8Array): number | undefined {
  const waiting = serialOf(database.pending, id);
  return waiting ?? (hasBase ? serialOf(database.ids, id) : undefined);
}

/** The ids of a range, uncommitted ones first. An id may come twice, and may be deleted. */
export function* storedIdsBetween(
  { database, hasBase }: StoredIds,
  range: { readonly start: Uint8Array; readonly end: Uint8Array },
): Generator<Uint8Array> {
  yield* database.pending.getKeys(range);
  if (hasBase) yield* database.ids.getKeys(range);
}

/** The committed ids. A serial number is NaN if no writer writes such bytes. */
export function* committedIds(
  database: Database,
  transaction: ReadTransaction,
): Generator<readonly [id: Uint8Array, serial: number]> {
  for (const { key, value } of database.ids.getRange({ transaction })) yield [key, serialIn(value)];
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
  removeGroups(database, { start: nextSerial });
  removeRange(database.dictionaries, { start: nextSerial });
}
