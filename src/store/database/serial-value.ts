// A serial number ↔ the value of an id in the database: its bytes, the lowest first, without zeros at the end. An index of
// 60,000 documents needs two or three, and LMDB keeps a value beside each id.

import type { ReadTransaction, Table } from "./database.ts";

/** The most bytes: numbers have at most 53 bits. */
const MOST_BYTES = 7;

export function serialBytes(serial: number): Buffer {
  const bytes: number[] = [];
  let rest = serial;
  do {
    bytes.push(rest % 256);
    rest = Math.floor(rest / 256);
  } while (rest > 0);
  return Buffer.from(bytes);
}

/** The serial number; NaN if no writer writes such bytes. */
export function serialIn(bytes: Uint8Array): number {
  const { length } = bytes;
  if (length === 0 || length > MOST_BYTES || (length > 1 && bytes[length - 1] === 0)) return Number.NaN;
  let serial = 0;
  for (let i = length - 1; i >= 0; i--) serial = 256 * serial + bytes[i];
  return serial;
}

/** The serial number of an id in a table; undefined if it is not there. */
export function serialOf(
  table: Table<Uint8Array>,
  id: Uint8Array,
  transaction?: ReadTransaction,
): number | undefined {
  const bytes = table.get(id, transaction && { transaction });
  return bytes && serialIn(bytes);
}
