// Serial numbers → documents, from the groups in the database. The blocks that were read last stay in memory, so that the same
// document, or a neighbor, need not be read again.

import type { Fields } from "../../documents/document.ts";
import { damagedError } from "../../segment/container/container-format.ts";
import type { Database, ReadTransaction } from "../database/database.ts";
import { Dictionaries } from "./dictionary.ts";
import { type BlockDocuments, Group } from "./group.ts";

/** Bytes of blocks that stay in memory. The last block stays, whatever its size. */
const KEPT_BYTES = 256 * 1024;

/** Where groups and dictionaries come from. */
export interface GroupSource {
  readonly path: string;
  /** The first group that ends at or after a serial number. It is valid until anything else is read. */
  groupFrom(serial: number): Group | undefined;
  dictionaryOf(key: number): Uint8Array;
}

export class PackedDocuments {
  readonly #source: GroupSource;
  /** The most recently used block comes last. */
  readonly #kept: BlockDocuments[] = [];
  #keptBytes = 0;

  constructor(source: GroupSource) {
    this.#source = source;
  }

  fieldsOf(serial: number): Fields {
    const json = (this.#keptWith(serial) ?? this.#read(serial))?.at(serial);
    if (!json) throw damagedError(this.#source.path, `document ${serial} is missing`);
    return JSON.parse(json.toString());
  }

  #keptWith(serial: number): BlockDocuments | undefined {
    const at = this.#kept.findLastIndex((lines) => lines.has(serial));
    if (at < 0) return undefined;
    const [lines] = this.#kept.splice(at, 1);
    this.#kept.push(lines);
    return lines;
  }

  #read(serial: number): BlockDocuments | undefined {
    const group = this.#source.groupFrom(serial);
    const block = group?.blockWith(serial);
    if (!group || block === undefined) return undefined;
    const lines = group.lines(block, (key) => this.#source.dictionaryOf(key));
    this.#kept.push(lines);
    this.#keptBytes += lines.bytes;
    while (this.#keptBytes > KEPT_BYTES && this.#kept.length > 1) {
      this.#keptBytes -= this.#kept.shift()!.bytes;
    }
    return lines;
  }
}

/** The groups of a database, as a transaction sees them or as they are now. */
export function groupsIn(database: Database, transactionOf?: () => ReadTransaction): GroupSource {
  const dictionaries = new Dictionaries(database, transactionOf);
  return {
    path: database.path,
    groupFrom(serial) {
      const transaction = transactionOf?.();
      const range = { start: serial, limit: 1, ...(transaction && { transaction }) };
      for (const last of database.documents.getKeys(range)) {
        return new Group(database.borrowGroup(last, transaction)!, last, database.path);
      }
      return undefined;
    },
    dictionaryOf: (key) => dictionaries.at(key),
  };
}
