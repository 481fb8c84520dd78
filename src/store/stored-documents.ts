// Serial numbers → documents, out of the groups that the database keeps. Blocks that were read last stay in memory, so that
// a document that is asked for again, or its neighbour, is there.

import type { Fields } from "../documents/document.ts";
import { damaged } from "../segment/container-format.ts";
import type { Database, ReadTransaction } from "./database.ts";
import { Dictionaries } from "./dictionary.ts";
import { Group, type Lines } from "./group.ts";

/** Blocks that are kept, together; the last one in any case. */
const KEPT_BYTES = 256 * 1024;

/** Where groups and dictionaries come from. */
export interface GroupSource {
  readonly path: string;
  /** The first group that ends with or behind a serial number. Used before anything else is asked for. */
  groupFrom(serial: number): Group | undefined;
  dictionaryOf(key: number): Uint8Array;
}

export class StoredDocuments {
  readonly #source: GroupSource;
  /** The one that was used last comes last. */
  readonly #kept: Lines[] = [];
  #keptBytes = 0;

  constructor(source: GroupSource) {
    this.#source = source;
  }

  fieldsOf(serial: number): Fields {
    const json = (this.#keptWith(serial) ?? this.#read(serial))?.at(serial);
    if (!json) throw damaged(this.#source.path, `document ${serial} is missing`);
    return JSON.parse(json.toString());
  }

  #keptWith(serial: number): Lines | undefined {
    const at = this.#kept.findLastIndex((lines) => lines.has(serial));
    if (at < 0) return undefined;
    const [lines] = this.#kept.splice(at, 1);
    this.#kept.push(lines);
    return lines;
  }

  #read(serial: number): Lines | undefined {
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

/** The groups of a database, as a transaction sees them, or as they are now. */
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
