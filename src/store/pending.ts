// What was asked of a writer and is not committed: documents that came, documents that are to go. Nothing of it is seen
// by a reader.

import type { Fields } from "../documents/document.ts";
import type { SegmentSource } from "../segment/segment.ts";
import type { SegmentEntry } from "../segment/segment-file.ts";
import { Bits } from "../support/bits.ts";
import { DocumentBuffer } from "./buffer.ts";
import type { Database } from "./database.ts";
import { type Dictionary, putDictionary } from "./dictionary.ts";
import { Group } from "./group.ts";
import type { PackedGroup } from "./pack.ts";
import { type GroupSource, groupsIn, StoredDocuments } from "./stored-documents.ts";

/** An id that is to go, where others have a serial number. */
export const GONE = 0;

/** A segment that a commit will name. */
interface PendingSegment {
  readonly entry: SegmentEntry;
  readonly source: SegmentSource;
}

export class Pending {
  /** Documents that are in no segment yet. */
  buffer: DocumentBuffer;
  /** Segments that were written since the last commit. */
  readonly segments: PendingSegment[] = [];
  /** Documents in `segments` that the database does not have yet. */
  unsaved: PackedGroup[] = [];
  /** What they are compressed with, where it was made since the last commit. */
  dictionary: Dictionary | undefined;
  /** By segment, committed or pending: what will be deleted, including what was. */
  readonly deleted = new Map<string, Bits>();
  /** Ids that changed and that the database's table of pending ids does not have yet: their serials, or GONE. */
  readonly ids = new Map<string, number>();
  nextSerial: number;
  lambda: number | undefined;
  /** Whether there is anything to commit. */
  changed = false;

  readonly #database: Database;
  readonly #stored: StoredDocuments;

  constructor(database: Database, nextSerial: number) {
    this.#database = database;
    this.#stored = new StoredDocuments(this.#groups());
    this.nextSerial = nextSerial;
    this.buffer = new DocumentBuffer(nextSerial);
  }

  /** A document of a segment goes. */
  markDeleted(name: string, docs: number, doc: number, before: Bits | undefined): void {
    let bits = this.deleted.get(name);
    if (!bits) {
      bits = before?.copy() ?? new Bits(docs);
      this.deleted.set(name, bits);
    }
    bits.set(doc);
  }

  /** A document of a segment that was to go stays. */
  unmarkDeleted(name: string, doc: number): void {
    this.deleted.get(name)?.clear(doc);
  }

  /** The fields of a document that may not be in the database yet. */
  fieldsOf(serial: number): Fields {
    return this.buffer.holds(serial) ? this.buffer.fieldsOf(serial) : this.#stored.fieldsOf(serial);
  }

  /** Writes the documents of segments into the database. Within a transaction. */
  putDocuments(): void {
    const { dictionary } = this;
    if (dictionary && this.unsaved.length > 0) putDictionary(this.#database, dictionary);
    for (const { last, value } of this.unsaved) this.#database.documents.putSync(last, value);
  }

  /** How much `putDocuments` writes. */
  get unsavedBytes(): number {
    return this.unsaved.reduce((sum, { value }) => sum + value.length, 0);
  }

  /** Moves ids into the database, where they wait for the commit without taking memory. Within a transaction. */
  putIds(): void {
    for (const [id, serial] of this.idsInOrder())
      this.#database.pending.putSync(Buffer.from(id), serialBytes(serial));
  }

  /** Pages of a B-tree that is filled in order are full; otherwise every second one stays half empty. */
  idsInOrder(): [id: string, serial: number][] {
    return [...this.ids].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Groups in the database, then those in memory: these have the higher serial numbers. */
  #groups(): GroupSource {
    const saved = groupsIn(this.#database);
    return {
      path: saved.path,
      groupFrom: (serial) => {
        const group = saved.groupFrom(serial);
        if (group) return group;
        const unsaved = this.unsaved.find(({ last }) => last >= serial);
        return unsaved && new Group(unsaved.value, unsaved.last, saved.path);
      },
      dictionaryOf: (key) =>
        key === this.dictionary?.serial ? this.dictionary.bytes : saved.dictionaryOf(key),
    };
  }
}

export function serialBytes(serial: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(serial);
  return bytes;
}
