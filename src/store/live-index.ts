// An index in a folder, as one process has it open: a snapshot to search, and, from the first change on, the writer. Work
// of the writer happens one piece after the other, in the order it was asked for.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { emptyTally } from "../densify/counts.ts";
import { RowsBuilder } from "../densify/rows.ts";
import type { Document } from "../documents/document.ts";
import { DocumentTable } from "../documents/document-table.ts";
import { UsageError } from "../errors.ts";
import type { OnProgress } from "../support/progress.ts";
import { Database, noIndex } from "./database.ts";
import type { IndexData } from "./index-file.ts";
import { lookInto, makeFolders, removeIfEmpty, SINGLE_FILE } from "./index-folder.ts";
import { memorySnapshot } from "./memory-snapshot.ts";
import { Merger } from "./merger.ts";
import type { EncoderRecord } from "./model-record.ts";
import { loadLmdb } from "./open-root.ts";
import { SegmentPool } from "./segment-pool.ts";
import type { Snapshot } from "./snapshot.ts";
import { Reader } from "./snapshot-reader.ts";
import { type Fresh, type Place, Writer, type WriterOptions } from "./writer.ts";

/** Snapshots that were moved on from stay open for so many commits and so long: hits read their documents late. */
const MOST_RETIRED = 8;
const RETIRED_MS = 30_000;

export interface LiveOptions extends WriterOptions {
  readonly readOnly?: boolean | undefined;
}

export class LiveIndex {
  readonly folder: string;
  readonly #options: LiveOptions;
  #place: Place | undefined;
  #snapshot: Snapshot;
  #writer: Writer | undefined;
  #merger: Merger | undefined;
  #retired: { snapshot: Snapshot; timer: NodeJS.Timeout }[] = [];
  #work: Promise<unknown> = Promise.resolve();
  #closed = false;

  private constructor(folder: string, options: LiveOptions, place: Place | undefined) {
    this.folder = folder;
    this.#options = options;
    this.#place = place;
    this.#snapshot = place?.reader.open()?.snapshot ?? emptySnapshot(options.fresh());
  }

  /**
   * Opens what a folder holds, unless that is an index in a single file. Where there is nothing, nothing is made
   * before the first change.
   */
  static open(folder: string, options: LiveOptions & { readonly overwrite: true }): Promise<LiveIndex>;
  static open(folder: string, options: LiveOptions): Promise<LiveIndex | "single">;
  static async open(folder: string, options: LiveOptions): Promise<LiveIndex | "single"> {
    const found = await lookInto(folder);
    if (found === "single" && !options.overwrite) return found;
    if (found === "nothing" && options.readOnly) throw noIndex(folder);
    if (!(found instanceof Database)) await loadLmdb(); // where it is missing, that is said now, not with the first change
    const place = found instanceof Database ? placeOf(folder, found) : undefined;
    try {
      return new LiveIndex(folder, options, place);
    } catch (error) {
      await place?.database.close();
      throw error;
    }
  }

  /** What searches run against: the last commit when this was opened, committed or refreshed. */
  get snapshot(): Snapshot {
    if (this.#closed) throw this.#closedError();
    return this.#snapshot;
  }

  /** Bytes that the files of the last commit take; undefined before the first. */
  diskBytes(): number | undefined {
    if (!this.#place || this.#snapshot.generation === 0) return undefined;
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

  commit(onProgress?: OnProgress): Promise<void> {
    return this.#exclusive(async () => {
      this.#throwMergeError();
      await this.#commit(await this.#write(), onProgress);
      this.#merger?.start();
    });
  }

  rollback(): Promise<void> {
    return this.#exclusive(async () => this.#writer?.rollback());
  }

  /** Commits, merges all segments, and weighs their rows anew. */
  async optimize(onProgress?: OnProgress): Promise<void> {
    await this.#merger?.stop(); // before it is this work's turn: a merge that ends waits for its own
    return this.#exclusive(async () => {
      this.#throwMergeError();
      const writer = await this.#write();
      await this.#commit(writer, onProgress);
      this.#merger = this.#mergerOf(writer);
      await this.#merger.all(onProgress);
      this.#moveTo(writer);
    });
  }

  /** Replaces what is there by an index that was built in memory. */
  adopt(data: IndexData): Promise<void> {
    return this.#exclusive(async () => {
      const writer = await this.#write();
      await writer.intake.adopt(data);
      await this.#commit(writer);
    });
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
      if (this.#writer) await removeIfEmpty(this.folder);
    });
    this.#throwMergeError();
  }

  /** Waits until no merge runs in the background. */
  async idle(): Promise<void> {
    await this.#merger?.idle();
  }

  async #commit(writer: Writer, onProgress?: OnProgress): Promise<void> {
    await writer.commit(onProgress);
    this.#moveTo(writer);
    // An index of version 1 that stood here is replaced now.
    if (this.#options.overwrite) await rm(join(this.folder, SINGLE_FILE), { force: true });
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
    await makeFolders(this.folder);
    this.#place ??= placeOf(this.folder, await Database.open(this.folder, { create: true }));
    if (this.#place.database.readOnly) {
      throw new UsageError(
        `${this.#place.database.path}: not allowed to write`,
        "open it with readOnly",
        "ERR_SLUICE_FILE",
      );
    }
    this.#writer = await Writer.open(this.#place, this.#options);
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
    const found = await lookInto(this.folder);
    return found instanceof Database ? placeOf(this.folder, found) : undefined;
  }

  #closedError(): UsageError {
    return new UsageError(`${this.folder}: the index was closed`, undefined, "ERR_SLUICE_CLOSED");
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
    const result = this.#work.then(() => {
      if (this.#closed) throw this.#closedError();
      return work();
    });
    this.#work = result.catch(() => {});
    return result;
  }
}

function placeOf(folder: string, database: Database): Place {
  const pool = new SegmentPool(folder);
  return { folder, database, pool, reader: new Reader(folder, database, pool) };
}

/** An index without documents. */
function emptySnapshot({ model, lambda, encoder }: Fresh): Snapshot {
  const { slicing, lexical, vocabulary } = model;
  return memorySnapshot({
    slicing,
    rows: new RowsBuilder(slicing.settings.dims, slicing.settings.perSlice).finish(),
    ids: [],
    documents: new DocumentTable(),
    lexical,
    lambda,
    counts: emptyTally(),
    vocabulary,
    ...(encoder && { encoder }),
  });
}
