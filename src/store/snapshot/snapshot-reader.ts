// The stored index → snapshots. A snapshot is a read transaction of the database and the open files of its segments, so no commit
// or merge, of any process, changes what it sees.

import { WordPiece, type WordPieceOptions } from "../../analyze/analyzers/wordpiece.ts";
import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import type { Slicing } from "../../densify/slicing.ts";
import type { Fields } from "../../documents/document.ts";
import { unpackUint32s, verifyChecksum } from "../../segment/container/checksum.ts";
import { damagedError } from "../../segment/container/container-format.ts";
import { LONGEST_ID } from "../../segment/rows/ids.ts";
import { findIndexMismatch } from "../../segment/section-sizes.ts";
import { Segment, type SegmentSource } from "../../segment/segment.ts";
import type { SegmentEntry } from "../../segment/segment-file.ts";
import type { StoredSegments } from "../../segment/stored-segments.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { Bits } from "../../support/numbers/bits.ts";
import type { Weighting } from "../../weigh/weighting.ts";
import type { Database, ReadTransaction } from "../database/database.ts";
import { serialOf } from "../database/serial-value.ts";
import { groupsIn, PackedDocuments } from "../packed/packed-documents.ts";
import { createAnalyzerRecord, loadRecordedAnalyzer } from "../record/analyzer-record.ts";
import { type CommitRecord, type CommittedSegment, readCommit } from "../record/commit-record.ts";
import { readSlicing, readWeighting } from "../record/lexicon-record.ts";
import { toSnapshotFacts } from "../record/snapshot-facts.ts";
import type { SegmentPool } from "./segment-pool.ts";
import { Snapshot } from "./snapshot.ts";

const encoder = new TextEncoder();
const WORD_PIECES = "wordpiece";

/** The terms of an earlier commit. Within an epoch, a later commit has the same ones and maybe more. */
interface Known {
  readonly epoch: number;
  readonly slicing: Slicing;
  readonly weighting?: Weighting;
}

/** A snapshot and the record of its commit. */
export interface OpenedSnapshot {
  readonly snapshot: Snapshot;
  readonly record: CommitRecord;
}

export class SnapshotReader {
  readonly #stored: StoredSegments;
  readonly #database: Database;
  readonly #pool: SegmentPool;
  /** The analyzers that were loaded, by their records. */
  readonly #analyzers = new Map<string, Analyzer>();
  #known: Known | undefined;

  constructor(stored: StoredSegments, database: Database, pool: SegmentPool) {
    this.#stored = stored;
    this.#database = database;
    this.#pool = pool;
  }

  /**
   * Loads the analyzer of the newest commit, which may be a module of its own. Call it before `open`: a snapshot cannot wait.
   * `given` is the caller's own analyzer.
   */
  async loadAnalyzer(given: Analyzer | undefined): Promise<void> {
    const analyzer = readCommit(this.#database)?.analyzer;
    if (!analyzer || analyzer.name === WORD_PIECES) return;
    const key = JSON.stringify(analyzer);
    if (this.#analyzers.has(key)) return;
    this.#analyzers.set(key, await loadRecordedAnalyzer(analyzer, given, this.#database.path));
  }

  /** Opens the newest commit; undefined before the first commit. */
  open(): OpenedSnapshot | undefined {
    const newest = this.#newest(
      (entry) => this.#pool.acquire(entry),
      (source) => this.#pool.release(source),
    );
    if (!newest) return undefined;
    const { record, transaction, sources } = newest;
    try {
      return { record, snapshot: this.#snapshot(record, transaction, sources) };
    } catch (error) {
      transaction.done();
      for (const source of sources) this.#pool.release(source);
      throw error;
    }
  }

  /** Throws if a file of the newest commit is missing, cut short or replaced. */
  checkFiles(): void {
    this.#database.requireInPlace();
    const newest = this.#newest(
      (entry) => this.#stored.open(entry),
      (source) => source.close(),
    );
    for (const source of newest?.sources ?? []) source.close();
    newest?.transaction.done();
  }

  /** Tells the reader what the writer of this process knows, so that it need not be read again. */
  remember(known: Known): void {
    this.#known = known;
    if (known.weighting) this.rememberAnalyzer(known.weighting.analyzer);
  }

  /** Tells the reader an analyzer that a commit of this process has. */
  rememberAnalyzer(analyzer: Analyzer): void {
    this.#analyzers.set(JSON.stringify(createAnalyzerRecord(analyzer)), analyzer);
  }

  /** The newest commit and its open files; undefined if there is no commit. */
  #newest(open: (entry: SegmentEntry) => SegmentSource, close: (source: SegmentSource) => void) {
    for (let generation = -1; ; ) {
      const transaction = this.#database.view();
      try {
        const record = readCommit(this.#database, transaction);
        const mayRetry = record !== undefined && record.generation > generation;
        const sources = record && this.#openFiles(record, mayRetry, open, close);
        if (sources) return { record, transaction, sources };
        transaction.done();
        if (!record) return undefined;
        generation = record.generation;
      } catch (error) {
        transaction.done();
        throw error;
      }
    }
  }

  /**
   * The open files of a commit. A writer may merge segments and remove their files after the record was read. There is a newer
   * commit then: with `mayRetry`, the result is undefined if a file is missing.
   */
  #openFiles(
    { segments }: CommitRecord,
    mayRetry: boolean,
    open: (entry: SegmentEntry) => SegmentSource,
    close: (source: SegmentSource) => void,
  ): SegmentSource[] | undefined {
    const sources: SegmentSource[] = [];
    for (const entry of segments) {
      try {
        sources.push(open(entry));
      } catch (error) {
        for (const source of sources) close(source);
        if (mayRetry && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw this.#stored.explainError(error, entry.name);
      }
    }
    return sources;
  }

  #snapshot(record: CommitRecord, transaction: ReadTransaction, sources: SegmentSource[]): Snapshot {
    const database = this.#database;
    const view = new DatabaseView(database, transaction);
    let first = 0;
    const segments = sources.map((source, i) => {
      const wrong = findIndexMismatch(source.meta, record);
      if (wrong) throw damagedError(database.path, wrong);
      const segment = new Segment(source, first, view.deletions(record.segments[i]), (source, local) =>
        view.document(source.serials[local]),
      );
      first += source.rowCount;
      return segment;
    });
    return new Snapshot({
      generation: record.generation,
      epoch: record.epoch,
      segments,
      ...toSnapshotFacts(record),
      slicing: () => this.#loadSlicing(record, view.open()),
      weighting: () => this.#loadWeighting(record, view.open()),
      serialOf: (id) => view.serialOf(id),
      documentWith: (serial) => view.document(serial),
      close: () => {
        view.close();
        for (const source of sources) this.#pool.release(source);
      },
    });
  }

  /** Reads the slicing of a commit, or only its new terms if an earlier one is known; and keeps it. */
  #loadSlicing(record: CommitRecord, transaction: ReadTransaction): Slicing {
    const known = this.#known;
    const isPrefix =
      known?.epoch === record.epoch && known.slicing.settings.vocabularySize <= record.settings.terms;
    const begun = isPrefix ? known?.slicing : undefined;
    if (begun?.settings.vocabularySize === record.settings.terms) return begun;
    const slicing = readSlicing(this.#database, transaction, record, begun);
    if (!known || isPrefix || known.epoch < record.epoch) this.#known = { epoch: record.epoch, slicing };
    return slicing;
  }

  /** Word pieces need no file of their own: the vocabulary of the index is theirs. */
  #analyzerOf({ analyzer: { name, options }, analyzer }: CommitRecord, slicing: Slicing): Analyzer {
    if (name === WORD_PIECES) return new WordPiece(slicing.vocabulary.terms, options as WordPieceOptions);
    const loaded = this.#analyzers.get(JSON.stringify(analyzer));
    if (loaded) return loaded;
    throw new SluiceError(
      `${this.#database.path}: the index was replaced by one with the analyzer ${name}`,
      "close it and open it again",
    );
  }

  /** Reads the weighting of a commit, and keeps it for the next commit of the same epoch. */
  #loadWeighting(record: CommitRecord, transaction: ReadTransaction): Weighting {
    const slicing = this.#loadSlicing(record, transaction);
    const known = this.#known;
    // Within an epoch the analyzer is the same. Word pieces are slow to set up, and a caller's own analyzer cannot be made again.
    const earlier = known?.epoch === record.epoch ? known.weighting?.analyzer : undefined;
    const analyzer = earlier ?? this.#analyzerOf(record, slicing);
    const weighting = readWeighting(this.#database, transaction, record, analyzer);
    if (known?.slicing === slicing) this.#known = { ...known, weighting };
    return weighting;
  }
}

/** The database as one snapshot sees it. */
class DatabaseView {
  readonly #database: Database;
  readonly #transaction: ReadTransaction;
  readonly #documents: PackedDocuments;
  #isClosed = false;

  constructor(database: Database, transaction: ReadTransaction) {
    this.#database = database;
    this.#documents = new PackedDocuments(groupsIn(database, () => this.open()));
    this.#transaction = transaction;
  }

  open(): ReadTransaction {
    if (this.#isClosed)
      throw new SluiceError(
        "the index was closed",
        "read what you need of it before, such as hit.document",
        "ERR_SLUICE_CLOSED",
      );
    return this.#transaction;
  }

  close(): void {
    this.#isClosed = true;
    this.#transaction.done();
  }

  deletions({ name, docs, deleted }: CommittedSegment): Bits | undefined {
    if (deleted === 0) return undefined;
    const bytes = this.#database.deletions.get(name, { transaction: this.open() });
    return new Bits(
      docs,
      unpackUint32s(verifyChecksum(bytes, this.#database.path, `the deletions of segment ${name}`)),
    );
  }

  serialOf(id: string): number | undefined {
    const key = encoder.encode(id);
    if (key.length === 0 || key.length > LONGEST_ID) return undefined;
    return serialOf(this.#database.ids, key, this.open());
  }

  document(serial: number): Fields {
    this.open();
    return this.#documents.fieldsOf(serial);
  }
}
