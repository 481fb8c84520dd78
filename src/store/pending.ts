// What was asked of a writer and is not committed: documents that came, documents that are to go. Nothing of it is seen
// by a reader.

import { Bits } from "../bits.ts";
import { DocumentBuffer } from "./buffer.ts";
import { checked, unchecked } from "./checked.ts";
import type { Database } from "./database.ts";
import type { Fields } from "./documents.ts";
import type { SegmentSource } from "./segment.ts";
import type { SegmentEntry } from "./segment-file.ts";

/** An id that is to go, where others have a serial number. */
export const GONE = 0;

/** A segment that a commit will name. */
export interface PendingSegment {
  readonly entry: SegmentEntry;
  readonly source: SegmentSource;
}

export class Pending {
  /** Documents that are in no segment yet. */
  buffer: DocumentBuffer;
  /** Segments that were written since the last commit. */
  readonly segments: PendingSegment[] = [];
  /** Documents in `segments` that the database does not have yet. */
  unsaved: DocumentBuffer[] = [];
  /** By segment, committed or pending: what will be deleted, including what was. */
  readonly deleted = new Map<string, Bits>();
  /** Ids that changed and that the database's table of pending ids does not have yet: their serials, or GONE. */
  readonly ids = new Map<string, number>();
  nextSerial: number;
  lambda: number | undefined;
  /** Whether there is anything to commit. */
  changed = false;

  constructor(nextSerial: number) {
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

  /** The fields of a document that may not be in the database yet. */
  fieldsOf(serial: number, database: Database): Fields {
    for (const buffer of [this.buffer, ...this.unsaved]) {
      if (buffer.holds(serial)) return buffer.fieldsOf(serial);
    }
    return JSON.parse(
      unchecked(database.documents.get(serial), database.path, `document ${serial}`).toString(),
    );
  }

  /** Writes the documents of segments into the database. Within a transaction. */
  putDocuments(database: Database): void {
    for (const buffer of this.unsaved) {
      for (const { serial, json } of buffer.stored()) database.documents.putSync(serial, checked(json));
    }
  }

  /** About how much `putDocuments` writes. */
  get unsavedBytes(): number {
    return this.unsaved.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Moves ids into the database, where they wait for the commit without taking memory. Within a transaction. */
  putIds(database: Database): void {
    for (const [id, serial] of this.ids) database.pending.putSync(Buffer.from(id), serialBytes(serial));
  }
}

export function serialBytes(serial: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(serial);
  return bytes;
}
