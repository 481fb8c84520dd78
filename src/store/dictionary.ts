// What zlib may take for granted when it compresses a block: pieces of documents of the same index. With it, blocks small
// enough to be read for one document compress better than five times larger ones without.

import { addChecksum, verifyChecksum } from "../segment/checksum.ts";
import type { Database, ReadTransaction } from "./database.ts";
import type { StoredDocument } from "./group.ts";

export interface Dictionary {
  /** Its key: the serial number of the first document it was made from. */
  readonly serial: number;
  readonly bytes: Uint8Array;
}

/** As much as zlib can look back. */
const MOST_BYTES = 32_500;
/** Of one document, at most. */
const PIECE_BYTES = 1024;
/**
 * Documents that make a dictionary have this much JSON, or it would not do for others. It is as much as a group must
 * have to be left alone, so that small commits get their dictionary with the first group that they are joined to.
 */
export const LEARNED_FROM_BYTES = 64 * 1024;

/** From pieces of documents at even distances; undefined where there are too few to learn from. */
export function dictionaryFrom(documents: readonly StoredDocument[]): Dictionary | undefined {
  let [jsonBytes, pieceBytes] = [0, 0];
  for (const { json } of documents) {
    jsonBytes += json.length + 1;
    pieceBytes += Math.min(json.length, PIECE_BYTES) + 1;
  }
  if (jsonBytes < LEARNED_FROM_BYTES || pieceBytes < MOST_BYTES) return undefined;
  const step = pieceBytes / MOST_BYTES;
  const parts: Uint8Array[] = [];
  for (let at = 0; at < documents.length; at += step) {
    parts.push(documents[Math.floor(at)].json.subarray(0, PIECE_BYTES), Buffer.from("\n"));
  }
  return { serial: documents[0].serial, bytes: Buffer.concat(parts).subarray(-MOST_BYTES) };
}

/** The newest dictionary of a range of serial numbers. */
export function lastDictionary(
  database: Database,
  range: { start?: number; end?: number; transaction?: ReadTransaction },
): Dictionary | undefined {
  const serial = [...database.dictionaries.getKeys(range)].at(-1);
  if (serial === undefined) return undefined;
  return { serial, bytes: readDictionary(database, serial, range.transaction) };
}

function readDictionary(database: Database, serial: number, transaction?: ReadTransaction): Uint8Array {
  const bytes = database.dictionaries.get(serial, transaction && { transaction });
  return verifyChecksum(bytes, database.path, `the dictionary of documents from ${serial} on`);
}

/** The dictionaries of a database, as a transaction sees them, or as they are now. Each is read once. */
export class Dictionaries {
  readonly #database: Database;
  readonly #transactionOf: (() => ReadTransaction) | undefined;
  readonly #read = new Map<number, Uint8Array>();

  constructor(database: Database, transactionOf?: () => ReadTransaction) {
    this.#database = database;
    this.#transactionOf = transactionOf;
  }

  at(serial: number): Uint8Array {
    let bytes = this.#read.get(serial);
    if (!bytes) {
      bytes = readDictionary(this.#database, serial, this.#transactionOf?.());
      this.#read.set(serial, bytes);
    }
    return bytes;
  }
}

/** Within a transaction. */
export function putDictionary(database: Database, { serial, bytes }: Dictionary): void {
  database.dictionaries.putSync(serial, addChecksum(bytes));
}
