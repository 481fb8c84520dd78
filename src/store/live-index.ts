// An index in a folder or in memory, as one process has it open: a snapshot to search, and, from the first change on, the
// writer. The writer's work happens one piece after the other, in the order it was asked for.

import { emptyTally } from "../densify/counts.ts";
import type { Document } from "../documents/document.ts";
import { UsageError } from "../errors.ts";
import { FolderSegments, MemorySegments, type SegmentStore } from "../segment/segment-store.ts";
import type { OnProgress } from "../support/progress.ts";
import type { WorkOptions } from "../support/work-options.ts";
import { type Database, noIndex } from "./database.ts";
import { lookInto, makeFolders, removeIfEmpty } from "./index-folder.ts";
import { LmdbDatabase } from "./lmdb-database.ts";
import { NO_LOCK, WriterLock } from "./lock.ts";
import { MemoryDatabase } from "./memory-database.ts";
import { Merger } from "./merger.ts";
import type { EncoderRecord } from "./model-record.ts";
import { loadLmdb } from "./open-root.ts";
import { SegmentPool } from "./segment-pool.ts";
import { Snapshot } from "./snapshot.ts";
import { Reader } from "./snapshot-reader.ts";
import { type Fresh, type MemorySource, type Place, Writer, type WriterOptions } from "./writer.ts";

/** Snapshots that were moved on from stay open for so many commits and so long: hits read their documents late. */
const MOST_RETIRED = 8;
const RETIRED_MS = 30_000;

/** Names an index in memory in errors. */
const IN_MEMORY = "the index in memory";

interface LiveOptions extends WriterOptions {
  readonly readOnly?: boolean | undefined;
}

export class LiveIndex {
  /** Undefined in memory. */
  readonly folder: string | undefined;
  readonly #options: LiveOptions;
  #place: Place | undefined;
  #snapshot: Snapshot;
  #writer: Writer | undefined;
  #merger: Merger | undefined;
  #retired: { snapshot: Snapshot; timer: NodeJS.Timeout }[] = [];
  #work: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** Set while the source of an `add` runs: a change that it asks for would wait for itself. */
  isReading = false;
  /** Where an index in memory is. */
  #memory: Pick<MemorySource, "database" | "store"> | undefined;

  private constructor(folder: string | undefined, options: LiveOptions, place: Place | undefined) {
    this.folder = folder;
    this.#options = options;
    this.#place = place;
    this.#snapshot = place?.reader.open()?.snapshot ?? emptySnapshot(options.fresh());
  }

  /** Opens what a folder holds. Where there is nothing, nothing is made before the first change. */
  static async open(folder: string, options: LiveOptions): Promise<LiveIndex> {
    const found = await lookInto(folder);
    if (found === "nothing" && options.readOnly) throw noIndex(folder);
    if (found === "nothing") await loadLmdb(); // where it is missing, that is said now, not with the first change
    const place = found instanceof LmdbDatabase ? folderPlace(folder, found) : undefined;
    try {
      return new LiveIndex(folder, options, place);
    } catch (error) {
      await place?.database.close();
      throw error;
    }
  }

  /** An index without documents, in memory. */
  static inMemory(options: LiveOptions): LiveIndex {
    const database = new MemoryDatabase();
    const store = new MemorySegments();
    // What waits for a commit is in memory either way, so that nothing is gained by writing it ahead.
    const unlimited = { bufferBytes: Number.POSITIVE_INFINITY, bufferIds: Number.POSITIVE_INFINITY };
    const place = placeOf(IN_MEMORY, database, store);
    const index = new LiveIndex(undefined, { ...unlimited, ...options }, place);
    index.#memory = { database, store };
    return index;
  }

  /** What searches run against: the last commit when this was opened, committed or refreshed. */
  get snapshot(): Snapshot {
    if (this.#closed) throw this.#closedError();
    return this.#snapshot;
  }

  /** Bytes that the files of the last commit take; undefined before the first. */
  diskBytes(): number | undefined {
    if (!this.#place || this.#memory || this.#snapshot.generation === 0) return undefined;
    const segments = this.#snapshot.segments.reduce(
      (sum, { source }) => sum + (source.sections.bytes ?? 0),
      0,
    );
    return segments + this.#place.database.diskBytes();
  }

  /** Whether it was opened to be changed. */
  get writable(): boolean {
    return !this.#options.readOnly;
  }

  /** The model that encodes documents, where one does. */
  get encoder(): EncoderRecord | undefined {
    const { base } = this.#writer ?? {};
    if (base) return base.record.encoder;
    return this.#options.overwrite ? this.#options.fresh().encoder : this.#snapshot.encoder;
  }

  /** Takes in all of these documents, or none; they are seen after the next commit. */
  add(
    documents: AsyncIterable<Document> | Iterable<Document>,
    options: { upsert: boolean; onProgress?: OnProgress | undefined },
  ): Promise<number> {
    return this.#exclusive(async () => (await this.#write()).add(documents, options));
  }

  delete(ids: Iterable<string>): Promise<number> {
    return this.#exclusive(async () => {
      const writer = await this.#write();
      let deleted = 0;
      for (const id of ids) if (await writer.intake.delete(id)) deleted++;
      return deleted;
    });
  }

  setLambda(lambda: number): Promise<void> {
    return this.#exclusive(async () => (await this.#write()).intake.setLambda(lambda));
  }

  /** A signal stops it before the changes become visible; they stay pending. */
  commit(options: WorkOptions = {}): Promise<void> {
    return this.#exclusive(async () => {
      options.signal?.throwIfAborted();
      this.#throwMergeError();
      await this.#commit(await this.#write(), options);
      this.#merger?.start();
    });
  }

  rollback(): Promise<void> {
    return this.#exclusive(async () => this.#writer?.rollback());
  }

  /** Commits, merges all segments, and weighs their rows anew. */
  async optimize(options: WorkOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    await this.#merger?.stop(); // before it is this work's turn: a merge that ends waits for its own
    return this.#exclusive(async () => {
      this.#throwMergeError();
      const writer = await this.#write();
      this.#merger = this.#mergerOf(writer);
      await this.#commit(writer, options);
      try {
        await this.#merger.all(options);
      } finally {
        this.#moveTo(writer); // after an abort, to the segments that were merged before it
      }
    });
  }

  /** Writes the last commit of an index in memory as the index of a folder; what is there is replaced. */
  async saveTo(folder: string, lambda: number): Promise<void> {
    const target = await LiveIndex.open(folder, { ...this.#options, readOnly: false, overwrite: true });
    try {
      await this.#exclusive(async () => {
        const writer = await this.#write();
        if (!writer.base) await this.#commit(writer);
        const from = { record: writer.base!.record, ...this.#memory! };
        await target.#exclusive(async () => (await target.#write()).copyFrom(from, lambda));
      });
    } finally {
      await target.close();
    }
  }

  /** Moves on to the newest commit, of whichever process; whether there was a newer one. */
  refresh(): Promise<boolean> {
    return this.#exclusive(async () => {
      this.#place ??= await this.#found();
      const opened = this.#place?.reader.open();
      if (!opened || opened.record.generation === this.#snapshot.generation) {
        opened?.snapshot.release();
        return false;
      }
      this.#retire(opened.snapshot);
      return true;
    });
  }

  /** An error when the index was closed, or files of the newest commit are gone, cut short or others. */
  check(): void {
    if (this.#closed) throw this.#closedError();
    this.#place?.reader.check(); // at once: a change may take long, and changes no file of a commit
  }

  /** Forgets what is not committed, and lets go of everything. */
  async close(): Promise<void> {
    if (this.#closed) return;
    await this.#merger?.stop();
    await this.#exclusive(async () => {
      this.#closed = true;
      try {
        await this.#writer?.close();
      } finally {
        for (const { snapshot, timer } of this.#retired) {
          clearTimeout(timer);
          snapshot.release();
        }
        this.#retired = [];
        this.#snapshot.release();
        await this.#place?.database.close();
      }
      if (this.#writer && this.folder !== undefined) await removeIfEmpty(this.folder);
    });
    this.#throwMergeError();
  }

  /** Waits until no merge runs in the background. */
  async idle(): Promise<void> {
    await this.#merger?.idle();
  }

  async #commit(writer: Writer, options?: WorkOptions): Promise<void> {
    await writer.commit(options);
    this.#moveTo(writer);
  }

  /** The writer; whoever asks first becomes it, or learns who is. */
  async #write(): Promise<Writer> {
    if (this.#options.readOnly) {
      throw new UsageError(
        `${this.folder}: the index was opened to be read only`,
        "open it without readOnly",
        "ERR_SLUICE_READ_ONLY",
      );
    }
    if (this.#writer) return this.#writer;
    const { folder } = this;
    if (folder !== undefined) {
      await makeFolders(folder);
      this.#place ??= folderPlace(folder, await LmdbDatabase.open(folder, { create: true }));
    }
    const place = this.#place!;
    if (place.database.readOnly) {
      throw new UsageError(
        `${place.database.path}: not allowed to write`,
        "open it with readOnly",
        "ERR_SLUICE_FILE",
      );
    }
    this.#writer = await Writer.open(place, this.#options);
    this.#merger = this.#mergerOf(this.#writer);
    return this.#writer;
  }

  #mergerOf(writer: Writer): Merger {
    return new Merger(
      writer,
      (work) => this.#exclusive(work),
      () => this.#moveTo(writer),
    );
  }

  #moveTo(writer: Writer): void {
    const { snapshot } = writer.base!;
    if (snapshot !== this.#snapshot && !this.#closed) this.#retire(snapshot.retain());
  }

  /** The snapshot before stays for a while: someone may hold hits whose documents were not looked at yet. */
  #retire(next: Snapshot): void {
    const snapshot = this.#snapshot;
    this.#snapshot = next;
    const timer = setTimeout(() => this.#release(snapshot), RETIRED_MS).unref();
    this.#retired.push({ snapshot, timer });
    if (this.#retired.length > MOST_RETIRED) this.#release(this.#retired[0].snapshot);
  }

  #release(snapshot: Snapshot): void {
    const at = this.#retired.findIndex((retired) => retired.snapshot === snapshot);
    if (at < 0) return;
    clearTimeout(this.#retired[at].timer);
    this.#retired.splice(at, 1);
    snapshot.release();
  }

  async #found(): Promise<Place | undefined> {
    const found = await lookInto(this.folder!);
    return found instanceof LmdbDatabase ? folderPlace(this.folder!, found) : undefined;
  }

  #closedError(): UsageError {
    return new UsageError(
      `${this.folder ?? IN_MEMORY}: the index was closed`,
      undefined,
      "ERR_SLUICE_CLOSED",
    );
  }

  #throwMergeError(): void {
    const error = this.#merger?.takeError();
    if (error === undefined) return;
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(
      `merging in the background failed: ${error.message}`,
      "nothing is lost; what is pending can be committed again",
      error.code,
    );
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    if (this.isReading) {
      const error = new UsageError(
        "the source of documents changes the index that they are added to, which waits for the source",
        "change the index before or after the call",
      );
      return Promise.reject(error);
    }
    const result = this.#work.then(() => {
      if (this.#closed) throw this.#closedError();
      return work();
    });
    this.#work = result.catch(() => {});
    return result;
  }
}

function folderPlace(folder: string, database: LmdbDatabase): Place {
  const place = placeOf(folder, database, new FolderSegments(folder));
  return { ...place, isDurable: true, lock: () => WriterLock.take(folder, database) };
}

function placeOf(name: string, database: Database, store: SegmentStore): Place {
  const pool = new SegmentPool(store);
  const reader = new Reader(store, database, pool);
  return { name, database, store, pool, reader, isDurable: false, lock: async () => NO_LOCK };
}

/** An index without documents. */
function emptySnapshot({ model, lambda, encoder, quantize }: Fresh): Snapshot {
  const { slicing, lexical, vocabulary } = model;
  return new Snapshot({
    generation: 0,
    segments: [],
    settings: slicing.settings,
    vocabulary,
    semanticDims: 0,
    lambda,
    counts: emptyTally(),
    ...(encoder && { encoder }),
    ...(quantize && { quantize }),
    slicing: () => slicing,
    lexical: () => lexical,
    serialOf: () => undefined,
    documentWith(serial) {
      throw new Error(`an empty index has no document ${serial}`);
    },
    close() {},
  });
}
