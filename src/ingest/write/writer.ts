// The only writer of an index. Changes are collected (collect/intake.ts); a commit writes them to disk and then names them in one
// transaction of the database. A writer that is killed at any moment leaves the last commit, and data that no commit names.
// The next writer removes that data.

import type { Document } from "../../documents/document.ts";
import type { TextField } from "../../documents/text-fields.ts";
import { EncodedDocument } from "../../encode/contract/encoded-document.ts";
import type { EncoderRecord } from "../../encode/encoder-record.ts";
import type { CodeOptions } from "../../segment/layout.ts";
import { hasUncommitted, removeUncommitted } from "../../store/commit/uncommitted.ts";
import { writeAsOwner } from "../../store/commit/write-as-owner.ts";
import { type Commit, writeCommit } from "../../store/commit/write-commit.ts";
import type { Lock, Medium, OpenedSnapshot } from "../../store/medium/medium.ts";
import {
  type CommitRecord,
  describeRowRules,
  hasPendingSlicing,
  RECORD_VERSION,
  readCommit,
  type SegmentState,
  sumCounts,
  toCommittedSegments,
} from "../../store/record/commit-record.ts";
import { problemOf, SluiceError } from "../../support/errors/sluice-error.ts";
import type { WorkOptions } from "../../support/options/work-options.ts";
import { textFieldsIn } from "../../weigh/weighting.ts";
import { SegmentWriter } from "../build/segment-writer.ts";
import { Intake, type IntakeOptions } from "../collect/intake.ts";
import { Pending } from "../collect/pending.ts";
import type { NewIndex } from "../options/new-index.ts";
import type { RowRules } from "../options/row-rules.ts";
import { type AddCounts, addInOneCall, type WriteOptions } from "./add-call.ts";
import { SegmentNames } from "./segment-names.ts";

export interface WriterOptions extends IntakeOptions {
  /** What an index without a commit begins with. */
  readonly newIndex: NewIndex;
  /** The first commit replaces the index that is there. */
  readonly overwrite?: boolean | undefined;
}

export class Writer {
  readonly medium: Medium;
  readonly names: SegmentNames;
  readonly #options: WriterOptions;
  readonly #lock: Lock;
  #base: OpenedSnapshot | undefined;
  #last: CommitRecord | undefined;
  #intake: Intake;
  /** Why this writer cannot go on. */
  #lost: SluiceError | undefined;

  private constructor(medium: Medium, options: WriterOptions, lock: Lock) {
    this.medium = medium;
    this.names = new SegmentNames(medium.storedSegments, lock.name);
    this.#options = options;
    this.#lock = lock;
    this.#last = readCommit(medium.database);
    this.#base = options.overwrite ? undefined : medium.reader.open();
    this.#intake = this.#newIntake();
  }

  /** Takes the lock, and removes what a killed writer left. */
  static async open(medium: Medium, options: WriterOptions): Promise<Writer> {
    const lock = await medium.lock();
    try {
      const writer = new Writer(medium, options, lock);
      writer.#removeUncommitted();
      await medium.storedSegments.removeOthers(
        new Set((writer.#last?.segments ?? []).map(({ name }) => name)),
      );
      return writer;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** The commit that changes are made to; undefined before the first commit, or if the next commit replaces the index. */
  get base(): OpenedSnapshot | undefined {
    return this.#base;
  }

  /** True until a new index has its first document. That document decides encoder and weighting. */
  get isBlank(): boolean {
    return this.#base === undefined && this.pending.segments.length === 0 && this.pending.buffer.docs === 0;
  }

  /** The encoder of the documents, if they are encoded. */
  get encoder(): EncoderRecord | undefined {
    return this.#base ? this.#base.record.encoder : this.#options.newIndex.requireStart().encoder;
  }

  /** The fields whose texts are searched; undefined: title and text, as one text. */
  get textFields(): readonly TextField[] | undefined {
    return textFieldsIn(this.#rowRules().weighting);
  }

  /** The last commit, even if it is to be replaced. */
  get last(): CommitRecord | undefined {
    return this.#last;
  }

  /** The shape of product codes in new segments. */
  get quantize(): CodeOptions | undefined {
    return this.#base ? this.#base.record.quantize : this.#options.newIndex.requireStart().quantize;
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
    const generation = this.#last?.generation;
    writeAsOwner({ database: this.medium.database, lock: this.#lock, generation }, work, bytes);
  }

  /** Makes a record that was just written the base of the next changes. */
  advance(record: CommitRecord): void {
    this.#last = record;
    const old = this.#base;
    this.#base = this.medium.reader.open();
    old?.snapshot.release();
  }

  /** Begins a new index as its first document asks for. Without a document, it begins as an index of texts. */
  async begin(first?: Document): Promise<void> {
    const { hasChanges, lambda } = this.pending;
    await this.#options.newIndex.decide(first);
    await this.#intake.release();
    this.#intake = this.#newIntake();
    Object.assign(this.pending, { hasChanges, lambda });
  }

  /** Adds all documents of a call. If one of them or their source fails, adds none. */
  async add(
    documents: AsyncIterable<Document | EncodedDocument> | Iterable<Document>,
    options: WriteOptions,
  ): Promise<AddCounts> {
    const { intake } = this;
    const wasChanged = intake.pending.hasChanges;
    return addInOneCall(documents, options, {
      begin: () => intake.beginCall(),
      end: () => intake.endCall(),
      undo: () => this.#undoAdd(wasChanged),
      async take(given, ordinal) {
        const encoded = given instanceof EncodedDocument ? given : undefined;
        const document = encoded?.document ?? (given as Document);
        const older = options.upsert ? await intake.deleteReplaced(document) : 0;
        return older + Number(await intake.add(document, ordinal, options, encoded?.vector));
      },
      deleteEarlier: (name) => intake.deleteEarlier(name),
    });
  }

  async #undoAdd(wasChanged: boolean): Promise<void> {
    try {
      if (wasChanged) await this.#intake.undoCall();
      else await this.rollback(); // nothing else is pending, so this is faster
    } catch (error) {
      this.#lost = new SluiceError(
        `${this.medium.name}: documents of a call that failed could not be removed again: ${problemOf(error)}`,
        "close the index, and open it again; what was committed is there",
      );
    }
  }

  /**
   * Makes all pending changes visible. They are on disk when this resolves. A signal stops it before the transaction; then
   * everything stays pending.
   */
  async commit(options: WorkOptions = {}): Promise<void> {
    if (!this.pending.hasChanges && this.#base) return;
    if (this.isBlank) await this.begin();
    const { intake, pending } = this;
    await intake.finish(options);
    options.signal?.throwIfAborted();
    const { storedSegments, database } = this.medium;
    const all = intake.segments();
    const kept = all.filter(({ entry, deleted }) => (deleted?.count() ?? 0) < entry.docs);
    const commit = this.#commitOf(kept);
    this.write(
      () =>
        writeCommit(database, commit, {
          ids: pending.idsInOrder(),
          documents: pending.documents,
          segments: all,
          kept,
          hasNewDeletions: (name) => pending.deleted.has(name),
        }),
      pending.unsavedBytes + 8 * commit.record.settings.terms + 64 * pending.ids.size,
    );
    const names = new Set(kept.map(({ entry }) => entry.name));
    const dropped = [...(this.#last?.segments ?? []), ...all.map(({ entry }) => entry)]
      .map(({ name }) => name)
      .filter((name) => !names.has(name));
    this.names.uncommitted.clear();
    this.#moveTo(commit);
    await intake.release();
    await storedSegments.remove(dropped);
  }

  /** Drops all pending changes. */
  async rollback(): Promise<void> {
    await this.#intake.release();
    this.#intake = this.#newIntake();
    await this.removeUnnamed(this.names.uncommitted);
    this.names.uncommitted.clear();
    this.#removeUncommitted();
  }

  /** Removes segments of changes that failed. What the last commit names stays: the error may have come after the commit. */
  async removeUnnamed(names: Iterable<string>): Promise<void> {
    const { storedSegments, database } = this.medium;
    const transaction = database.view();
    try {
      const named = new Set(readCommit(database, transaction)?.segments.map(({ name }) => name));
      await storedSegments.remove([...names].filter((name) => !named.has(name)));
    } finally {
      transaction.done();
    }
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
    const { database } = this.medium;
    const nextSerial = this.#last?.nextSerial ?? 1;
    const base = {
      database,
      rowRules: this.#rowRules(),
      semanticDims: this.#base?.record.semanticDims,
      nextSerial,
      hasBase: this.#base !== undefined,
      segments: () => this.segments(),
      write: (work: () => void, bytes: number) => this.write(work, bytes),
    };
    const pending = new Pending(database, nextSerial);
    const target = {
      ...this.medium,
      quantize: this.quantize,
      firstDictionary: base.hasBase ? 0 : nextSerial,
      newName: () => this.names.take(),
    };
    return new Intake(base, pending, new SegmentWriter(pending, target), this.#options);
  }

  #rowRules(): RowRules {
    if (!this.#base) return this.#options.newIndex.requireStart().rowRules;
    const { snapshot, record } = this.#base;
    return {
      weighting: snapshot.weighting,
      slicing: snapshot.slicing,
      vocabularyKind: record.vocabulary,
      isSlicingPending: hasPendingSlicing(record),
      keepsPositions: record.positions ?? false,
    };
  }

  #removeUncommitted(): void {
    const { database } = this.medium;
    const next = this.#last?.nextSerial ?? 0;
    if (!hasUncommitted(database, next)) return;
    try {
      this.write(() => removeUncommitted(database, next));
    } catch (error) {
      // If another writer has the index, the data is that writer's.
      if (!(error instanceof SluiceError && error.code === "ERR_SLUICE_CONFLICT")) throw error;
    }
  }

  #commitOf(segments: readonly SegmentState[]): Commit {
    const { lexicon, pending, semanticDims, isSlicingPending, hasNewSlicing } = this.#intake;
    const base = this.#base?.record;
    const start = base ? undefined : this.#options.newIndex.requireStart();
    const { slicing, vocabularyKind } = lexicon;
    const weighting = lexicon.weighting();
    const { encoder } = this;
    const generation = (this.#last?.generation ?? 0) + 1;
    const epoch = base && !hasNewSlicing ? base.epoch : generation;
    const record: CommitRecord = {
      version: RECORD_VERSION,
      generation,
      epoch,
      nextSerial: pending.nextSerial,
      nextSegment: this.names.next,
      segments: toCommittedSegments(segments),
      lambda: pending.lambda ?? base?.lambda ?? start?.lambda ?? 1,
      ...describeRowRules({ weighting, slicing, vocabularyKind, isSlicingPending, semanticDims, encoder }),
      ...(this.quantize && { quantize: this.quantize }),
      ...(this.#rowRules().keepsPositions && { positions: true as const }),
      counts: sumCounts(segments),
    };
    const knownTerms = base?.epoch === epoch ? base.settings.terms : 0;
    return {
      record,
      slicing,
      knownTerms,
      weighting,
      replacesBefore: base ? undefined : this.#last?.nextSerial,
    };
  }

  #moveTo({ record, slicing, weighting }: Commit): void {
    this.medium.reader.remember({ epoch: record.epoch, slicing, weighting });
    try {
      this.advance(record);
      this.#intake = this.#newIntake();
    } catch (error) {
      // The changes are committed. This writer would commit them again.
      this.#lost = new SluiceError(
        `${this.medium.name}: the commit was made, but could not be opened: ${problemOf(error)}`,
        "close the index, and open it again",
        error instanceof SluiceError ? error.code : "ERR_SLUICE_DAMAGED",
      );
      throw this.#lost;
    }
  }
}
