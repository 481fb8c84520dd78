// A preset dictionary for zlib: pieces of documents of the same index. Blocks that are small enough to be read for one document
// compress better with it than five times larger blocks without.

import { addChecksum, verifyChecksum } from "../../segment/container/checksum.ts";
import type { Database, ReadTransaction } from "../database/database.ts";
import type { DocumentJson } from "./group.ts";

export interface Dictionary {
  /** The serial number of the first document it was made from. It is the key of the dictionary. */
  readonly serial: number;
  readonly bytes: Uint8Array;
}

/** The size of a dictionary: zlib looks back about this far. */
const MOST_BYTES = 32_500;
/** The most bytes taken from one document. */
const PIECE_BYTES = 1024;
/**
 * The least JSON that a dictionary is made from; from less, it would not suit other documents. regroup.ts joins groups with less
 * than this, so documents of small commits get a dictionary when they are first joined.
 */
export const LEARNED_FROM_BYTES = 64 * 1024;

/** Makes a dictionary from documents at even distances; undefined if there are too few. */
export function buildDictionary(documents: readonly DocumentJson[]): Dictionary | undefined {
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

/** The newest dictionary in a range of serial numbers. */
export function findLastDictionary(
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

/** The dictionaries of a database, as a transaction sees them or as they are now. Each is read once. */
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

/** Call it within a transaction. */
export function putDictionary(database: Database, { serial, bytes }: Dictionary): void {
  database.dictionaries.putSync(serial, addChecksum(bytes));
}
