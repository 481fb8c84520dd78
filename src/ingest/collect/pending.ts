// Changes that are not committed: new documents and deletions. Readers do not see them.

import type { Fields } from "../../documents/document.ts";
import { PassageIdMap } from "../../passages/passage-id-map.ts";
import { type NewGroups, putGroups } from "../../store/commit/group-tables.ts";
import { putUncommittedIds } from "../../store/commit/uncommitted.ts";
import type { Database } from "../../store/database/database.ts";
import type { Dictionary } from "../../store/packed/dictionary.ts";
import { Group } from "../../store/packed/group.ts";
import type { PackedGroup } from "../../store/packed/pack.ts";
import { type GroupSource, groupsIn, PackedDocuments } from "../../store/packed/packed-documents.ts";
import type { SegmentState } from "../../store/record/commit-record.ts";
import { Bits } from "../../support/numbers/bits.ts";
import { DocumentBuffer } from "./buffer.ts";

export class Pending {
  /** Documents in no segment. */
  buffer: DocumentBuffer;
  /** Segments that were written since the last commit. */
  readonly segments: Pick<SegmentState, "entry" | "source">[] = [];
  /** Documents in `segments` that the database does not have yet. */
  unsaved: PackedGroup[] = [];
  /** Their dictionary, if it was made since the last commit. */
  dictionary: Dictionary | undefined;
  /** By segment, committed or pending: its deletions after the commit, including earlier ones. */
  readonly deleted = new Map<string, Bits>();
  /** Changed ids that are not in the database's table `pending` yet: their serials, or DELETED. */
  readonly ids = new PassageIdMap<number>();
  nextSerial: number;
  lambda: number | undefined;
  /** Whether there is anything to commit. */
  hasChanges = false;

  readonly #database: Database;
  readonly #stored: PackedDocuments;

  constructor(database: Database, nextSerial: number) {
    this.#database = database;
    this.#stored = new PackedDocuments(this.#groups());
    this.nextSerial = nextSerial;
    this.buffer = new DocumentBuffer(nextSerial);
  }

  /** Marks a document of a segment for deletion. */
  markDeleted({ entry, deleted }: SegmentState, local: number): void {
    let bits = this.deleted.get(entry.name);
    if (!bits) {
      bits = deleted?.copy() ?? new Bits(entry.docs);
      this.deleted.set(entry.name, bits);
    }
    bits.set(local);
  }

  unmarkDeleted({ entry }: SegmentState, local: number): void {
    this.deleted.get(entry.name)?.clear(local);
  }

  /** The fields of a document, wherever it is. */
  fieldsOf(serial: number): Fields {
    return this.buffer.holds(serial) ? this.buffer.fieldsOf(serial) : this.#stored.fieldsOf(serial);
  }

  /** The documents of segments that the database does not have yet. */
  get documents(): NewGroups {
    return { groups: this.unsaved, dictionary: this.dictionary };
  }

  /** Bytes of these documents. */
  get unsavedBytes(): number {
    return this.unsaved.reduce((sum, { value }) => sum + value.length, 0);
  }

  /** Writes ids and documents to the database, where they wait without taking memory. Call it within a transaction. */
  writeUnsaved(): void {
    putGroups(this.#database, this.documents);
    putUncommittedIds(this.#database, this.idsInOrder());
  }

  /** Sorted, because pages of a B-tree get full if it is filled in order, and half full otherwise. */
  idsInOrder(): [id: string, serial: number][] {
    return [...this.ids].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Groups in the database, then those in memory, which have higher serial numbers. */
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
