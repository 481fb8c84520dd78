// A store → snapshots of the index in it. A snapshot is a read transaction of the database and the open files of the
// segments it names, so that neither a commit nor a merge, of this process or another, can change what it sees.

import type { Slicing } from "../densify/slicing.ts";
import type { Fields } from "../documents/document.ts";
import { UsageError } from "../errors.ts";
import { uint32s, verifyChecksum } from "../segment/checksum.ts";
import { Segment, type SegmentSource } from "../segment/segment.ts";
import type { SegmentStore } from "../segment/segment-store.ts";
import { Bits } from "../support/bits.ts";
import type { Weighting } from "../weigh/weighting.ts";
import { type CommitRecord, type CommittedSegment, readCommit } from "./commit-record.ts";
import { type Database, LONGEST_ID, type ReadTransaction } from "./database.ts";
import { readSlicing, readWeighting } from "./lexicon-store.ts";
import type { SegmentPool } from "./segment-pool.ts";
import { Snapshot } from "./snapshot.ts";
import { groupsIn, StoredDocuments } from "./stored-documents.ts";

const encoder = new TextEncoder();

/** What the last snapshot knew of the words, for the next one to go on from. */
interface Words {
  readonly epoch: number;
  readonly slicing: Slicing;
  readonly weighting?: Weighting;
}

/** A snapshot and the commit it is of. */
export interface Opened {
  readonly snapshot: Snapshot;
  readonly record: CommitRecord;
}

export class Reader {
  readonly #store: SegmentStore;
  readonly #database: Database;
  readonly #pool: SegmentPool;
  #words: Words | undefined;

  constructor(store: SegmentStore, database: Database, pool: SegmentPool) {
    this.#store = store;
    this.#database = database;
    this.#pool = pool;
  }

  /** The newest commit; undefined where there is none yet. */
  open(): Opened | undefined {
    let generation = -1;
    for (;;) {
      const transaction = this.#database.view();
      try {
        const record = readCommit(this.#database, transaction);
        if (!record) {
          transaction.done();
          return undefined;
        }
        const sources = this.#sources(record, record.generation > generation);
        generation = record.generation;
        if (sources) return { record, snapshot: this.#snapshot(record, transaction, sources) };
      } catch (error) {
        transaction.done();
        throw error;
      }
      transaction.done();
    }
  }

  /** Opens the files of the newest commit anew and closes them: an error when one is gone, cut short or another. */
  check(): void {
    this.#database.requireInPlace();
    let generation = -1;
    for (;;) {
      const transaction = this.#database.view();
      try {
        const record = readCommit(this.#database, transaction);
        if (!record || this.#areThere(record, record.generation > generation)) return;
        generation = record.generation;
      } finally {
        transaction.done();
      }
    }
  }

  /** Words as a writer of this process has them, so that they need not be read again. */
  know(words: Words): void {
    this.#words = words;
  }

  /**
   * The files of a commit. A writer may have merged and removed one between the moment the record was read and now:
   * then there is a newer commit, and the answer is undefined, for the caller to look again.
   */
  #sources(record: CommitRecord, again: boolean): SegmentSource[] | undefined {
    const sources: SegmentSource[] = [];
    for (const entry of record.segments) {
      try {
        sources.push(this.#pool.acquire(entry));
      } catch (error) {
        for (const source of sources) this.#pool.release(source);
        if (again && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw this.#store.errorOf(error, entry.name);
      }
    }
    return sources;
  }

  /** Whether the files of a commit are there; `again` as in `#sources`: false when the caller should look again. */
  #areThere(record: CommitRecord, again: boolean): boolean {
    for (const entry of record.segments) {
      try {
        this.#store.open(entry).close();
      } catch (error) {
        if (again && (error as NodeJS.ErrnoException).code === "ENOENT") return false;
        throw this.#store.errorOf(error, entry.name);
      }
    }
    return true;
  }

  #snapshot(record: CommitRecord, transaction: ReadTransaction, sources: SegmentSource[]): Snapshot {
    const database = this.#database;
    const view = new View(database, transaction);
    let first = 0;
    const segments = sources.map((source, i) => {
      const segment = new Segment(source, first, view.deletions(record.segments[i]), (source, doc) =>
        view.document(source.serials[doc]),
      );
      first += source.docs;
      return segment;
    });
    return new Snapshot({
      generation: record.generation,
      segments,
      settings: record.settings,
      vocabulary: record.vocabulary,
      semanticDims: record.semanticDims ?? 0,
      lambda: record.lambda,
      counts: record.counts,
      ...(record.encoder && { encoder: record.encoder }),
      ...(record.quantize && { quantize: record.quantize }),
      slicing: () => this.#slicing(record, view.open()),
      weighting: () => this.#weighting(record, view.open()),
      serialOf: (id) => view.serialOf(id),
      documentWith: (serial) => view.document(serial),
      close: () => {
        view.close();
        for (const source of sources) this.#pool.release(source);
      },
    });
  }

  #slicing(record: CommitRecord, transaction: ReadTransaction): Slicing {
    const words = this.#words;
    const isBeginning =
      words?.epoch === record.epoch && words.slicing.settings.terms <= record.settings.terms;
    const begun = isBeginning ? words?.slicing : undefined;
    if (begun?.settings.terms === record.settings.terms) return begun;
    const slicing = readSlicing(this.#database, transaction, record, begun);
    if (!words || isBeginning || words.epoch < record.epoch) this.#words = { epoch: record.epoch, slicing };
    return slicing;
  }

  #weighting(record: CommitRecord, transaction: ReadTransaction): Weighting {
    const slicing = this.#slicing(record, transaction);
    const words = this.#words;
    // The analyzer stays the same within an epoch. Word pieces are slow to set up; a custom one cannot be made again.
    const analyzer = words?.epoch === record.epoch ? words.weighting?.analyzer : undefined;
    const weighting = readWeighting(this.#database, transaction, record, slicing, analyzer);
    if (words?.slicing === slicing) this.#words = { ...words, weighting };
    return weighting;
  }
}

/** The database as one snapshot sees it. */
class View {
  readonly #database: Database;
  readonly #transaction: ReadTransaction;
  readonly #documents: StoredDocuments;
  #closed = false;

  constructor(database: Database, transaction: ReadTransaction) {
    this.#database = database;
    this.#documents = new StoredDocuments(groupsIn(database, () => this.open()));
    this.#transaction = transaction;
  }

  open(): ReadTransaction {
    if (this.#closed)
      throw new UsageError(
        "the index was closed, or has moved on to a later commit",
        undefined,
        "ERR_SLUICE_CLOSED",
      );
    return this.#transaction;
  }

  close(): void {
    this.#closed = true;
    this.#transaction.done();
  }

  deletions({ name, docs, deleted }: CommittedSegment): Bits | undefined {
    if (deleted === 0) return undefined;
    const bytes = this.#database.deletions.get(name, { transaction: this.open() });
    return new Bits(
      docs,
      uint32s(verifyChecksum(bytes, this.#database.path, `the deletions of segment ${name}`)),
    );
  }

  serialOf(id: string): number | undefined {
    const key = encoder.encode(id);
    if (key.length === 0 || key.length > LONGEST_ID) return undefined;
    return this.#database.ids.get(key, { transaction: this.open() })?.readDoubleLE(0);
  }

  document(serial: number): Fields {
    this.open();
    return this.#documents.fieldsOf(serial);
  }
}
