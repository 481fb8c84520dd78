// The only writer of an index. Changes are collected (intake.ts); a commit writes them to disk and then names them in one
// transaction of the database. A writer that is killed at any moment leaves the last commit, and data that no commit names.
// The next writer removes that data.

import type { Document } from "../../documents/document.ts";
import { UsageError } from "../../errors.ts";
import type { Quantize } from "../../segment/layout.ts";
import { type OnProgress, PROGRESS_STEP } from "../../support/progress.ts";
import type { WorkOptions } from "../../support/work-options.ts";
import { type CommitRecord, RECORD_VERSION, readCommit, type SegmentState } from "../commit-record.ts";
import { type Lock, takenOver } from "../database/lock.ts";
import { analyzerRecord, requireNamed } from "../encoder-record.ts";
import type { Opened } from "../snapshot-reader.ts";
import type { Storage } from "../storage.ts";
import {
  type Commit,
  clearIndex,
  committed,
  hasUncommitted,
  putDeletions,
  putModel,
  putPending,
  removeDocumentsOf,
  removeUncommitted,
  totalCounts,
} from "./commit.ts";
import { Intake, type IntakeOptions } from "./intake.ts";
import type { NewIndex, RowRules } from "./new-index.ts";
import type { Pending } from "./pending.ts";
import { SegmentNames } from "./segment-names.ts";

export interface WriterOptions extends IntakeOptions {
  /** Called only for a new index. */
  fresh(): NewIndex;
  /** The first commit replaces the index that is there. */
  readonly overwrite?: boolean | undefined;
}

export class Writer {
  readonly storage: Storage;
  readonly names: SegmentNames;
  readonly #options: WriterOptions;
  readonly #lock: Lock;
  #base: Opened | undefined;
  #last: CommitRecord | undefined;
  #intake: Intake;
  /** Why this writer cannot go on. */
  #lost: UsageError | undefined;

  private constructor(storage: Storage, options: WriterOptions, lock: Lock) {
    this.storage = storage;
    this.names = new SegmentNames(storage.store, lock.name);
    this.#options = options;
    this.#lock = lock;
    this.#last = readCommit(storage.database);
    this.#base = options.overwrite ? undefined : storage.reader.open();
    this.#intake = this.#newIntake();
  }

  /** Takes the lock, and removes what a killed writer left. */
  static async open(storage: Storage, options: WriterOptions): Promise<Writer> {
    const lock = await storage.lock();
    try {
      const writer = new Writer(storage, options, lock);
      writer.#removeUncommitted();
      await storage.store.removeOthers(new Set((writer.#last?.segments ?? []).map(({ name }) => name)));
      return writer;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** The commit that changes are made to; undefined if there is none, or if it is to be replaced. */
  get base(): Opened | undefined {
    return this.#base;
  }

  /** The last commit, even if it is to be replaced. */
  get last(): CommitRecord | undefined {
    return this.#last;
  }

  /** The shape of product codes in new segments. */
  get quantize(): Quantize | undefined {
    return this.#base ? this.#base.record.quantize : this.#options.fresh().quantize;
  }

  /** Throws if this writer cannot go on. */
  get intake(): Intake {
    if (this.#lost) throw this.#lost;
    return this.#intake;
  }

  get pending(): Pending {
    return this.#intake.pending;
  }

  /** The segments of the last commit. */
  segments(): SegmentState[] {
    const { record, snapshot } = this.#base ?? {};
    return (record?.segments ?? []).map((entry, i) => {
      const { source, deleted } = snapshot!.segments[i];
      return { entry, source, deleted };
    });
  }

  /**
   * Runs `work` in a transaction. Throws, without overwriting anything, if another writer has begun or committed in the
   * meantime. `bytes` is about how much is written.
   */
  write(work: () => void, bytes?: number): void {
    const { database } = this.storage;
    database.write(() => {
      database.requireInPlace();
      this.#lock.requireOwn();
      if (readCommit(database)?.generation !== this.#last?.generation) throw takenOver(database.path);
      work();
    }, bytes);
  }

  /** Makes a record that was just written the base of what comes next. */
  advance(record: CommitRecord): void {
    this.#last = record;
    const old = this.#base;
    this.#base = this.storage.reader.open();
    old?.snapshot.release();
  }

  /** Adds all documents of a call. If one of them or their source fails, adds none. */
  async add(
    documents: AsyncIterable<Document> | Iterable<Document>,
    options: { upsert: boolean; onProgress?: OnProgress | undefined },
  ): Promise<number> {
    const { intake } = this;
    const wasChanged = intake.pending.changed;
    let done = 0;
    intake.beginCall();
    try {
      for await (const document of documents) {
        await intake.add(document, done + 1, options);
        if (++done % PROGRESS_STEP === 0) options.onProgress?.({ stage: "reading", done });
      }
    } catch (error) {
      await this.#undoAdd(wasChanged);
      throw error;
    }
    intake.endCall();
    options.onProgress?.({ stage: "reading", done, total: done });
    return done;
  }

  async #undoAdd(wasChanged: boolean): Promise<void> {
    try {
      if (wasChanged) this.#intake.undoCall();
      else await this.rollback(); // nothing else is pending, so this is faster
    } catch (error) {
      this.#lost = new UsageError(
        `${this.storage.name}: documents of a call that failed could not be removed again: ${(error as Error).message}`,
        "close the index, and open it again; what was committed is there",
      );
    }
  }

  /**
   * Makes all pending changes visible. They are on disk when this resolves. A signal stops it before the transaction; then
   * everything stays pending.
   */
  async commit(options: WorkOptions = {}): Promise<void> {
    const { intake, pending } = this;
    if (!pending.changed && this.#base) return;
    await intake.finish(options);
    options.signal?.throwIfAborted();
    const { store, database, isDurable } = this.storage;
    const all = intake.segments();
    const kept = all.filter(({ entry, deleted }) => (deleted?.count() ?? 0) < entry.docs);
    const commit = this.#commitOf(kept);
    if (isDurable) requireNamed(commit.record.analyzer);
    this.write(
      () => {
        if (commit.replaces) clearIndex(database, this.#last?.nextSerial ?? 1);
        putPending(database, pending);
        removeDocumentsOf(database, all, kept, pending.nextSerial);
        putDeletions(database, kept, (name) => pending.deleted.has(name));
        putModel(database, commit);
      },
      pending.unsavedBytes + 8 * commit.record.settings.terms + 64 * pending.ids.size,
    );
    const names = new Set(kept.map(({ entry }) => entry.name));
    const dropped = [...(this.#last?.segments ?? []), ...all.map(({ entry }) => entry)]
      .map(({ name }) => name)
      .filter((name) => !names.has(name));
    this.names.uncommitted.clear();
    this.#moveTo(commit);
    await intake.release();
    await store.remove(dropped);
  }

  /** Drops all pending changes. */
  async rollback(): Promise<void> {
    await this.#intake.release();
    this.#intake = this.#newIntake();
    await this.storage.store.remove(this.names.uncommitted);
    this.names.uncommitted.clear();
    this.#removeUncommitted();
  }

  /** Drops all pending changes and releases the lock. An index without a commit leaves no file. */
  async close(): Promise<void> {
    await this.rollback().finally(() => {
      this.#base?.snapshot.release();
      this.#base = undefined;
      this.#lock.release({ leftovers: this.#last === undefined });
    });
  }

  /** An intake for changes to the last commit. */
  #newIntake(): Intake {
    this.names.next = this.#last?.nextSegment ?? 1;
    const base = {
      ...this.storage,
      rowRules: this.#rowRules(),
      semanticDims: this.#base?.record.semanticDims,
      nextSerial: this.#last?.nextSerial ?? 1,
      quantize: this.quantize,
      hasDocuments: this.#base !== undefined,
      segments: () => this.segments(),
      newName: () => this.names.take(),
      write: (work: () => void, bytes: number) => this.write(work, bytes),
    };
    return new Intake(base, this.#options);
  }

  #rowRules(): RowRules {
    if (!this.#base) return this.#options.fresh().rowRules;
    const { snapshot, record } = this.#base;
    return {
      weighting: snapshot.weighting,
      slicing: snapshot.slicing,
      vocabulary: record.vocabulary,
      untaught: record.untaught ?? false,
    };
  }

  #removeUncommitted(): void {
    const { database } = this.storage;
    const next = this.#last?.nextSerial ?? 0;
    if (!hasUncommitted(database, next)) return;
    try {
      this.write(() => removeUncommitted(database, next));
    } catch (error) {
      // If another writer has the index, the data is that writer's.
      if (!(error instanceof UsageError && error.code === "ERR_SLUICE_CONFLICT")) throw error;
    }
  }

  #commitOf(segments: readonly SegmentState[]): Commit {
    const { lexicon, pending, semanticDims, untaught, taught } = this.#intake;
    const base = this.#base?.record;
    const fresh = base ? undefined : this.#options.fresh();
    const { slicing, vocabulary } = lexicon;
    const weighting = lexicon.weighting();
    const encoder = base ? base.encoder : fresh?.encoder;
    const generation = (this.#last?.generation ?? 0) + 1;
    const epoch = base && !taught ? base.epoch : generation;
    const record: CommitRecord = {
      version: RECORD_VERSION,
      generation,
      epoch,
      nextSerial: pending.nextSerial,
      nextSegment: this.names.next,
      segments: committed(segments),
      lambda: pending.lambda ?? base?.lambda ?? fresh?.lambda ?? 1,
      lexical: weighting.kind,
      ...(weighting.kind === "bm25" && { bm25: weighting.parameters }),
      analyzer: analyzerRecord(weighting.analyzer),
      settings: slicing.settings,
      vocabulary,
      ...(untaught && { untaught: true as const }),
      ...(semanticDims !== undefined && { semanticDims }),
      ...(encoder && { encoder }),
      ...(this.quantize && { quantize: this.quantize }),
      counts: totalCounts(segments),
    };
    const knownTerms = base?.epoch === epoch ? base.settings.terms : 0;
    return { record, slicing, knownTerms, weighting, replaces: !base && this.#last !== undefined };
  }

  #moveTo({ record, slicing, weighting }: Commit): void {
    this.storage.reader.know({ epoch: record.epoch, slicing, weighting });
    try {
      this.advance(record);
      this.#intake = this.#newIntake();
    } catch (error) {
      // The changes are committed. This writer would commit them again.
      this.#lost = new UsageError(
        `${this.storage.name}: the commit was made, but could not be opened: ${(error as Error).message}`,
        "close the index, and open it again",
        error instanceof UsageError ? error.code : "ERR_SLUICE_DAMAGED",
      );
      throw this.#lost;
    }
  }
}
