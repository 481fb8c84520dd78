// Commits. What changes is gathered (intake.ts); a commit writes the rest of it to the disk and, in one transaction of the
// database, names it. Killed at any moment, a writer leaves the last commit, and things that nobody names, which the
// next writer removes.

import type { Document } from "../documents/document.ts";
import { UsageError } from "../errors.ts";
import { type SegmentEntry, segmentName } from "../segment/segment-file.ts";
import type { MemorySegments, SegmentStore } from "../segment/segment-store.ts";
import type { Quantize } from "../segment/stored-layout.ts";
import { Bits } from "../support/bits.ts";
import { type OnProgress, PROGRESS_STEP } from "../support/progress.ts";
import type { WorkOptions } from "../support/work-options.ts";
import {
  type Commit,
  clearIndex,
  committed,
  putDeletions,
  putModel,
  putPending,
  removeDocumentsOf,
  removeRange,
  type SegmentState,
  totalCounts,
} from "./commit.ts";
import {
  type CommitRecord,
  type CommittedSegment,
  putCommit,
  RECORD_VERSION,
  readCommit,
} from "./commit-record.ts";
import { copyTables, tableBytes } from "./copy-tables.ts";
import type { Database } from "./database.ts";
import { Intake, type IntakeOptions } from "./intake.ts";
import { type Lock, takenOver } from "./lock.ts";
import type { MemoryDatabase } from "./memory-database.ts";
import { analyzerRecord, type EncoderRecord, requireNamed } from "./model-record.ts";
import type { Model } from "./new-index.ts";
import type { SegmentSerials } from "./regroup.ts";
import type { SegmentPool } from "./segment-pool.ts";
import type { Opened, Reader } from "./snapshot-reader.ts";

/** What an index begins with. */
export interface Fresh {
  readonly model: Model;
  readonly lambda: number;
  readonly encoder?: EncoderRecord;
  readonly quantize?: Quantize;
}

export interface WriterOptions extends IntakeOptions {
  /** How a new index makes rows; not looked at where there is one. */
  fresh(): Fresh;
  /** Replace the index that is there, with the first commit. */
  readonly overwrite?: boolean | undefined;
}

/** Where the writer works: shared with those who read in the same process. */
export interface Place {
  /** Names the index in errors. */
  readonly name: string;
  readonly database: Database;
  readonly store: SegmentStore;
  readonly reader: Reader;
  readonly pool: SegmentPool;
  /** Keeps other writers out. */
  lock(): Promise<Lock>;
  /** Whether it outlives the process, so that everything in it must be found again by name. */
  readonly isDurable: boolean;
}

/** An index in memory, as its last commit left it. */
export interface MemorySource {
  readonly record: CommitRecord;
  readonly database: MemoryDatabase;
  readonly store: MemorySegments;
}

export class Writer {
  readonly #place: Place;
  readonly #options: WriterOptions;
  readonly #lock: Lock;
  /** The last commit, unless it is to be replaced. */
  #base: Opened | undefined;
  /** The last commit, whether or not it is to be replaced. */
  #last: CommitRecord | undefined;
  #intake: Intake;
  #nextSegment = 1;
  /** Why this writer cannot go on. */
  #lost: UsageError | undefined;
  /** Names that segments got since the last commit, merges aside: only these files are removed by a rollback. */
  readonly #written = new Set<string>();
  /** Names of segments that a merge is writing. */
  readonly #reserved = new Set<string>();

  private constructor(place: Place, options: WriterOptions, lock: Lock) {
    this.#place = place;
    this.#options = options;
    this.#lock = lock;
    this.#last = readCommit(place.database);
    this.#base = options.overwrite ? undefined : place.reader.open();
    this.#intake = this.#freshIntake();
  }

  /** Becomes the one writer of a folder, and clears away what a killed one left. */
  static async open(place: Place, options: WriterOptions): Promise<Writer> {
    const lock = await place.lock();
    try {
      const writer = new Writer(place, options, lock);
      await writer.#clearLeftovers();
      await writer.#removeUnnamed();
      return writer;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** The last commit as this writer knows it. */
  get base(): Opened | undefined {
    return this.#base;
  }

  /** Product codes that segments are to have. */
  get quantize(): Quantize | undefined {
    return this.#base ? this.#base.record.quantize : this.#options.fresh().quantize;
  }

  get place(): Place {
    return this.#place;
  }

  /**
   * Writes in a transaction, unless another writer has begun or committed since: then it throws, and nothing is
   * overwritten. `bytes` is about how much is written.
   */
  write(work: () => void, bytes?: number): void {
    const { database } = this.#place;
    database.write(() => {
      database.requireInPlace();
      this.#lock.requireOwn();
      if (readCommit(database)?.generation !== this.#last?.generation) throw takenOver(database.path);
      work();
    }, bytes);
  }

  /** What is pending, and what more comes. */
  get intake(): Intake {
    if (this.#lost) throw this.#lost;
    return this.#intake;
  }

  /** Takes in all documents of a call, or, where one of them or their source fails, none. */
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

  /** With nothing pending before the call, a rollback is the shorter way. */
  async #undoAdd(wasChanged: boolean): Promise<void> {
    try {
      if (wasChanged) this.#intake.undoCall();
      else await this.rollback();
    } catch (error) {
      this.#lost = new UsageError(
        `${this.#place.name}: documents of a call that failed could not be taken back: ${(error as Error).message}`,
        "close the index, and open it again; what was committed is there",
      );
    }
  }

  /**
   * Makes everything that came since the last commit visible, on the disk when this resolves. A signal stops it before
   * the transaction; then everything stays pending.
   */
  async commit(options: WorkOptions = {}): Promise<void> {
    const { intake } = this;
    const { pending } = intake;
    if (!pending.changed && this.#base) return;
    await intake.finish(options);
    options.signal?.throwIfAborted();
    const { store, database } = this.#place;
    const all = intake.segments();
    const kept = all.filter(({ entry, deleted }) => (deleted?.count() ?? 0) < entry.docs);
    const commit = this.#commitOf(kept);
    if (this.#place.isDurable) requireNamed(commit.record.analyzer);
    const firstSerial = this.#last?.nextSerial ?? 1;
    this.write(
      () => {
        if (commit.replaces) clearIndex(database, firstSerial);
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
    this.#written.clear();
    this.#moveTo(commit);
    await intake.release();
    await store.remove(dropped);
  }

  /** Makes the last commit of an index in memory the index here, in the place of what there is, with another λ. */
  async copyFrom(from: MemorySource, lambda: number): Promise<void> {
    const { store, database } = this.#place;
    const { record } = from;
    requireNamed(record.analyzer);
    const names = new Map<string, string>();
    const segments: CommittedSegment[] = [];
    for (const { name: old, deleted } of record.segments) {
      const name = this.#newName();
      this.#written.add(name);
      segments.push({ ...(await store.writeParts(name, from.store.partsOf(old))), deleted });
      names.set(old, name);
    }
    const generation = (this.#last?.generation ?? 0) + 1;
    const next: CommitRecord = {
      ...record,
      generation,
      epoch: generation,
      nextSerial: Math.max(record.nextSerial, this.#last?.nextSerial ?? 1),
      nextSegment: this.#nextSegment,
      segments,
      lambda,
    };
    this.write(() => {
      copyTables(from.database, database, (segment) => names.get(segment)!);
      putCommit(database, next);
    }, tableBytes(from.database));
    const dropped = (this.#last?.segments ?? []).map(({ name }) => name);
    this.#written.clear();
    this.#last = next;
    await store.remove(dropped);
  }

  /** Forgets everything that came since the last commit. */
  async rollback(): Promise<void> {
    await this.#intake.release();
    this.#intake = this.#freshIntake();
    await this.#place.store.remove(this.#written);
    this.#written.clear();
    await this.#clearLeftovers();
  }

  /** Forgets what is not committed; an index that never was leaves no trace. */
  async close(): Promise<void> {
    await this.rollback().finally(() => {
      this.#base?.snapshot.release();
      this.#base = undefined;
      this.#lock.release({ leftovers: this.#last === undefined });
    });
  }

  /** The segments of the last commit. */
  segments(): SegmentState[] {
    const { record, snapshot } = this.#base ?? {};
    return (record?.segments ?? []).map((entry, i) => {
      const { source, deleted } = snapshot!.segments[i];
      return { entry, source, deleted };
    });
  }

  /** A name for a segment that is written while other work goes on; `unreserve` when it is named, or given up. */
  reserve(): string {
    const name = this.#newName();
    this.#reserved.add(name);
    return name;
  }

  unreserve(name: string): void {
    this.#reserved.delete(name);
  }

  /** Whether these are adjacent segments of the last commit. */
  holds(segments: readonly SegmentState[]): boolean {
    const now = this.segments();
    const at = now.findIndex(({ source }) => source === segments[0].source);
    return at >= 0 && segments.every(({ source }, i) => now[at + i]?.source === source);
  }

  /**
   * A segment takes the place of adjacent ones of the last commit that were merged into it, in a commit of its own.
   * Pending changes stay pending. Without a segment, nothing was left of those.
   */
  async replaceSegments(from: readonly SegmentState[], entry: SegmentEntry | undefined): Promise<void> {
    const { store, database, pool } = this.#place;
    const { record } = this.#base!;
    const { pending } = this.#intake;
    const now = this.segments();
    const at = now.findIndex(({ source }) => source === from[0].source);
    const source = entry && pool.acquire(entry);
    try {
      // What was deleted while the merge ran, by commits and by what is pending.
      const deleted = source && carriedOver(from, source, (_, i) => now[at + i].deleted);
      const soon = source && carriedOver(from, source, ({ entry }) => pending.deleted.get(entry.name));
      const merged = entry && source ? [{ entry, source, deleted }] : [];
      const segments = [...now.slice(0, at), ...merged, ...now.slice(at + from.length)];
      const next: CommitRecord = {
        ...record,
        generation: record.generation + 1,
        nextSegment: Math.max(record.nextSegment, this.#nextSegment),
        segments: committed(segments),
        counts: totalCounts(segments),
      };
      this.write(() => {
        if (!entry) removeDocumentsOf(database, now, segments, record.nextSerial);
        putDeletions(database, segments, (name) => name === entry?.name);
        putCommit(database, next);
      });
      for (const { entry } of from) pending.deleted.delete(entry.name);
      if (entry && soon) pending.deleted.set(entry.name, deleted ? soon.or(deleted) : soon);
      this.#last = next;
      this.#openBase();
    } finally {
      if (source) pool.release(source);
    }
    await store.remove(from.map(({ entry }) => entry.name));
  }

  /** A segment of the last commit, and the serial numbers between its neighbours'; undefined when it is gone. */
  serialsOf(name: string): SegmentSerials | undefined {
    const segments = this.segments();
    const at = segments.findIndex(({ entry }) => entry.name === name);
    if (at < 0) return undefined;
    const { nextSerial } = this.#base!.record;
    const start = (segments[at - 1]?.source.serials.at(-1) ?? 0) + 1;
    const end = segments[at + 1]?.source.serials[0] ?? nextSerial;
    return { segment: segments[at], start, end, nextSerial };
  }

  #baseModel(): Model {
    if (!this.#base) return this.#options.fresh().model;
    const { snapshot, record } = this.#base;
    return {
      lexical: snapshot.lexical,
      slicing: snapshot.slicing,
      vocabulary: record.vocabulary,
      untaught: record.untaught ?? false,
    };
  }

  /** Begins anew from the last commit. */
  #freshIntake(): Intake {
    this.#nextSegment = this.#last?.nextSegment ?? 1;
    const { store, database, pool } = this.#place;
    const ground = {
      store,
      database,
      pool,
      model: this.#baseModel(),
      semanticDims: this.#base?.record.semanticDims,
      nextSerial: this.#last?.nextSerial ?? 1,
      quantize: this.quantize,
      hasDocuments: this.#base !== undefined,
      compress: this.#place.isDurable,
      segments: () => this.segments(),
      newName: () => {
        const name = this.#newName();
        this.#written.add(name);
        return name;
      },
      write: (work: () => void, bytes: number) => this.write(work, bytes),
    };
    return new Intake(ground, this.#options);
  }

  /** Removes ids and documents of a commit that was never made. */
  async #clearLeftovers(): Promise<void> {
    const { database } = this.#place;
    const next = this.#last?.nextSerial ?? 0;
    const has = (keys: Iterable<unknown>) => !keys[Symbol.iterator]().next().done;
    if (
      has(database.pending.getKeys({ limit: 1 })) ||
      has(database.documents.getKeys({ start: next, limit: 1 })) ||
      has(database.dictionaries.getKeys({ start: next, limit: 1 }))
    ) {
      try {
        this.write(() => {
          database.pending.clearSync();
          removeRange(database.documents, { start: next });
          removeRange(database.dictionaries, { start: next });
        });
      } catch (error) {
        // Another writer has the index: what is left there is not this one's to clear away.
        if (!(error instanceof UsageError && error.code === "ERR_SLUICE_CONFLICT")) throw error;
      }
    }
  }

  /** Removes files that no commit names, of a writer that was killed. */
  async #removeUnnamed(): Promise<void> {
    const named = new Set((this.#last?.segments ?? []).map(({ name }) => name));
    await this.#place.store.removeOthers(named);
  }

  #newName(): string {
    for (;;) {
      const name = segmentName(this.#nextSegment++, this.#lock.name);
      // A file that could not be removed keeps its name.
      if (!this.#reserved.has(name) && !this.#place.store.has(name)) return name;
    }
  }

  #commitOf(segments: readonly SegmentState[]): Commit {
    const { lexicon, pending, semanticDims, untaught, taught } = this.#intake;
    const base = this.#base?.record;
    const fresh = base ? undefined : this.#options.fresh();
    const { slicing, vocabulary } = lexicon;
    const lexical = lexicon.model();
    const encoder = base ? base.encoder : fresh?.encoder;
    const generation = (this.#last?.generation ?? 0) + 1;
    const epoch = base && !taught ? base.epoch : generation;
    const record: CommitRecord = {
      version: RECORD_VERSION,
      generation,
      epoch,
      nextSerial: pending.nextSerial,
      nextSegment: this.#nextSegment,
      segments: committed(segments),
      lambda: pending.lambda ?? base?.lambda ?? fresh?.lambda ?? 1,
      lexical: lexical.kind,
      ...(lexical.kind === "bm25" && { bm25: lexical.parameters }),
      analyzer: analyzerRecord(lexical.analyzer),
      settings: slicing.settings,
      vocabulary,
      ...(untaught && { untaught: true as const }),
      ...(semanticDims !== undefined && { semanticDims }),
      ...(encoder && { encoder }),
      ...(this.quantize && { quantize: this.quantize }),
      counts: totalCounts(segments),
    };
    const knownTerms = base?.epoch === epoch ? base.settings.terms : 0;
    return { record, slicing, knownTerms, lexical, replaces: !base && this.#last !== undefined };
  }

  /** After the transaction: the commit is the base of what comes next. */
  #moveTo({ record, slicing, lexical }: Commit): void {
    this.#place.reader.know({ epoch: record.epoch, slicing, lexical });
    this.#last = record;
    try {
      this.#openBase();
      this.#intake = this.#freshIntake();
    } catch (error) {
      // What was pending is committed; to go on as if it were not would commit it again.
      this.#lost = new UsageError(
        `${this.#place.name}: the commit was made, but could not be opened: ${(error as Error).message}`,
        "close the index, and open it again",
        error instanceof UsageError ? error.code : "ERR_SLUICE_DAMAGED",
      );
      throw this.#lost;
    }
  }

  #openBase(): void {
    const old = this.#base;
    this.#base = this.#place.reader.open();
    old?.snapshot.release();
  }
}

/** Deletions of merged segments, as those of the segment they became. What the merge left out is not there to delete. */
function carriedOver(
  from: readonly SegmentState[],
  into: SegmentState["source"],
  bitsOf: (state: SegmentState, i: number) => Bits | undefined,
): Bits | undefined {
  let carried: Bits | undefined;
  for (const [i, state] of from.entries()) {
    for (const doc of bitsOf(state, i) ?? []) {
      const target = into.docOf(state.source.serials[doc]);
      if (target === undefined) continue;
      carried ??= new Bits(into.docs);
      carried.set(target);
    }
  }
  return carried;
}
