// An open index, in a folder or in memory: a snapshot to search and, from the first change on, the writer. Changes run one
// after the other, in the order in which they were asked for.

import type { Analyzer } from "../analyze/contract/analyzer.ts";
import type { Condition } from "../documents/filter.ts";
import type { CopyResult } from "../store/backup/backup.ts";
import { noIndexError } from "../store/database/database.ts";
import { loadLmdb } from "../store/database/open-lmdb.ts";
import { findIndex, indexExistsError, openForChanges, removeIfEmpty } from "../store/medium/index-folder.ts";
import {
  createMemoryMedium,
  IN_MEMORY,
  type Medium,
  type MemoryMedium,
  openFolderMedium,
} from "../store/medium/medium.ts";
import { RetiredSnapshots } from "../store/snapshot/retired-snapshots.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import { closedError, openedReadOnlyError } from "../support/errors/index-errors.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import type { SaveOptions } from "../support/options/save-options.ts";
import type { WorkOptions } from "../support/options/work-options.ts";
import { WorkQueue } from "../support/work/work-queue.ts";
import { deleteMatching } from "./collect/delete-matching.ts";
import { Merger } from "./merge/merger.ts";
import type { DeleteOptions } from "./options/delete-options.ts";
import { createEmptySnapshot } from "./options/row-rules.ts";
import { copyIndex } from "./write/copy-index.ts";
import { Writer, type WriterOptions } from "./write/writer.ts";

interface LiveOptions extends WriterOptions {
  readonly readOnly?: boolean | undefined;
  /** False refuses a folder without an index. */
  readonly create?: boolean | undefined;
  /** The analyzer that the caller gives, which may be the caller's own. */
  readonly analyzer?: Analyzer | undefined;
}

export class LiveIndex {
  /** Undefined in memory. */
  readonly folder: string | undefined;
  readonly #options: LiveOptions;
  /** Undefined until the first change, if the folder has no index. */
  #medium: Medium | undefined;
  /** The medium of an index in memory. */
  readonly #memory: MemoryMedium | undefined;
  #snapshot: Snapshot;
  readonly #retired = new RetiredSnapshots(() => this.#snapshot);
  #writer: Writer | undefined;
  #merger: Merger | undefined;
  readonly queue = new WorkQueue();
  #isClosed = false;

  private constructor(
    folder: string | undefined,
    options: LiveOptions,
    medium: Medium | undefined,
    memory?: MemoryMedium,
  ) {
    this.folder = folder;
    this.#options = options;
    this.#medium = medium;
    this.#memory = memory;
    this.#snapshot = medium?.reader.open()?.snapshot ?? createEmptySnapshot(options.newIndex.requireStart());
  }

  /** Opens the index of a folder. If the folder has no index, the first change creates it. */
  static async open(folder: string, options: LiveOptions): Promise<LiveIndex> {
    const found = await findIndex(folder);
    if (found === "nothing" && (options.readOnly || options.create === false)) throw noIndexError(folder);
    if (found === "nothing") await loadLmdb(); // if the package is missing, say so now and not with the first change
    const medium = found === "nothing" ? undefined : openFolderMedium(folder, found);
    try {
      // An index that is to be replaced may have an analyzer that is unknown here.
      if (!options.overwrite) await medium?.reader.loadAnalyzer(options.analyzer);
      return new LiveIndex(folder, options, medium);
    } catch (error) {
      await medium?.database.close();
      throw error;
    }
  }

  /** A new index in memory. */
  static inMemory(options: LiveOptions): LiveIndex {
    const medium = createMemoryMedium();
    // Pending changes are in memory in any case, so writing them ahead of the commit gains nothing.
    const unlimited = { bufferBytes: Number.POSITIVE_INFINITY, bufferIds: Number.POSITIVE_INFINITY };
    return new LiveIndex(undefined, { ...unlimited, ...options }, medium, medium);
  }

  /** What searches see: the last commit at the time of `open`, `commit` or `refresh`. */
  get snapshot(): Snapshot {
    if (this.#isClosed) throw this.#closedError();
    return this.#snapshot;
  }

  /** Bytes that the files of the last commit take; undefined in memory and before the first commit. */
  diskBytes(): number | undefined {
    if (!this.#medium || this.#memory || this.#snapshot.generation === 0) return undefined;
    const { segments } = this.#snapshot;
    const bytes = segments.reduce((sum, { source }) => sum + (source.sections.bytes ?? 0), 0);
    return bytes + this.#medium.database.diskBytes();
  }

  get writable(): boolean {
    return !this.#options.readOnly;
  }

  /** Whether this is the writer of the index. */
  get hasLock(): boolean {
    return this.#writer !== undefined && !this.#isClosed;
  }

  /** Takes the lock, as the first change does. Returns at once if this process already has the lock. */
  async lock(): Promise<void> {
    if (!this.hasLock) await this.change(async () => {});
  }

  /** Makes a change by the writer, when all changes before it are made. Searches see it after the next commit. */
  change<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    return this.#exclusive(async () => work(await this.#openWriter()));
  }

  /** Deletes documents; with `withPassages`, also what they were cut into. Returns how many were deleted. */
  delete(ids: Iterable<string>, { withPassages, signal }: DeleteOptions): Promise<number> {
    return this.change(async ({ intake }) => {
      let deleted = 0;
      for (const id of ids) {
        signal?.throwIfAborted();
        deleted += withPassages ? await intake.deleteWithPassages(id) : Number(await intake.delete(id));
      }
      return deleted;
    });
  }

  /** Deletes the documents that a condition accepts, uncommitted ones included. Returns how many were deleted. */
  deleteMatching(condition: Condition, signal?: AbortSignal): Promise<number> {
    return this.change(({ intake }) => deleteMatching(intake, condition, signal));
  }

  setLambda(lambda: number): Promise<void> {
    return this.change(async (writer) => writer.intake.setLambda(lambda));
  }

  /** A signal stops it before the changes become visible; they stay pending. */
  commit(options: WorkOptions = {}): Promise<void> {
    return this.#exclusive(async () => {
      options.signal?.throwIfAborted();
      this.#throwMergeError();
      await this.#commit(await this.#openWriter(), options);
      this.#merger?.start();
    });
  }

  rollback(): Promise<void> {
    return this.#exclusive(async () => this.#writer?.rollback());
  }

  /** Commits, merges all segments, and weights their rows again. */
  async optimize(options: WorkOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    await this.#merger?.stop(); // outside of `#exclusive`: a merge that ends waits for its own turn there
    return this.#exclusive(async () => {
      this.#throwMergeError();
      const writer = await this.#openWriter();
      this.#merger = this.#mergerOf(writer);
      await this.#commit(writer, options);
      try {
        await this.#merger.mergeAll(options);
      } finally {
        this.#showCommit(writer); // after an abort, the segments that were merged before it
      }
    });
  }

  /** Counts of the last commit, as `save` reports them. */
  describeCopy(): CopyResult {
    const [{ docs, generation }, bytes] = [this.#snapshot, this.diskBytes()];
    return { docs, generation, ...(bytes !== undefined && { bytes }) };
  }

  /** Writes the last commit of an index in memory to a folder. Replaces an index that is there only if told to. */
  async saveTo(folder: string, { overwrite, ...work }: SaveOptions): Promise<CopyResult> {
    const target = await LiveIndex.open(folder, { ...this.#options, readOnly: false, overwrite: true });
    try {
      if (target.#medium && !overwrite) throw indexExistsError(folder);
      await this.#exclusive(async () => {
        const writer = await this.#openWriter();
        if (!writer.base) await this.#commit(writer, work);
        const from = { ...this.#memory!, record: writer.base!.record };
        await target.#exclusive(async () => {
          const to = await target.#openWriter();
          if (to.last && !overwrite) throw indexExistsError(folder); // made by another since it was opened
          to.medium.reader.rememberAnalyzer(this.#snapshot.weighting.analyzer);
          await copyIndex(from, to, work);
          target.#showCommit(to);
        });
      });
      return target.describeCopy();
    } finally {
      await target.close();
    }
  }

  /**
   * Moves to the newest commit of any process. Returns whether there was a newer one. Throws if the index was removed or replaced.
   */
  refresh(): Promise<boolean> {
    return this.#exclusive(async () => {
      this.#medium ??= await this.#findCreatedByOthers();
      this.#medium?.database.requireInPlace();
      await this.#medium?.reader.loadAnalyzer(this.#options.analyzer);
      const opened = this.#medium?.reader.open();
      if (!opened || opened.record.generation === this.#snapshot.generation) {
        opened?.snapshot.release();
        return false;
      }
      this.#replaceSnapshot(opened.snapshot);
      return true;
    });
  }

  /** Throws if the index was closed, or if a file of the newest commit is missing, cut short or replaced. */
  checkFiles(): void {
    if (this.#isClosed) throw this.#closedError();
    this.#medium?.reader.checkFiles(); // without waiting for changes, which may take long and change no file of a commit
  }

  /** Drops pending changes and closes all files. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.#merger?.stop();
    await this.#exclusive(async () => {
      this.#isClosed = true;
      try {
        await this.#writer?.close();
      } finally {
        await this.#retired.close();
        this.#snapshot.release();
        await this.#medium?.database.close();
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
    this.#showCommit(writer);
  }

  /** The first call takes the lock. Throws an error that names the other writer if another one has the lock. */
  async #openWriter(): Promise<Writer> {
    if (this.#options.readOnly) throw openedReadOnlyError(this.folder);
    if (this.#writer) return this.#writer;
    const { folder } = this;
    if (folder !== undefined) {
      const database = await openForChanges(folder);
      if (this.#medium)
        await database.close(); // it was open already, and is shared
      else this.#medium = openFolderMedium(folder, database);
    }
    const medium = this.#medium!;
    if (medium.database.readOnly) {
      throw new SluiceError(
        `${medium.database.path}: not allowed to write`,
        "open it with readOnly",
        "ERR_SLUICE_FILE",
      );
    }
    if (!this.#options.overwrite) await medium.reader.loadAnalyzer(this.#options.analyzer);
    this.#writer = await Writer.open(medium, this.#options);
    this.#merger = this.#mergerOf(this.#writer);
    return this.#writer;
  }

  #mergerOf(writer: Writer): Merger {
    return new Merger(
      writer,
      (work) => this.#exclusive(work),
      () => this.#showCommit(writer),
    );
  }

  #showCommit(writer: Writer): void {
    const { snapshot } = writer.base!;
    if (snapshot !== this.#snapshot && !this.#isClosed) this.#replaceSnapshot(snapshot.retain());
  }

  #replaceSnapshot(next: Snapshot): void {
    this.#retired.add(this.#snapshot);
    this.#snapshot = next;
  }

  /** The medium of a folder that had no index when this was opened. */
  async #findCreatedByOthers(): Promise<Medium | undefined> {
    const found = await findIndex(this.folder!);
    return found === "nothing" ? undefined : openFolderMedium(this.folder!, found);
  }

  #closedError(): SluiceError {
    return closedError(this.folder ?? IN_MEMORY);
  }

  #throwMergeError(): void {
    const error = this.#merger?.takeError();
    if (error === undefined) return;
    if (!(error instanceof SluiceError)) throw error;
    throw new SluiceError(
      `merging in the background failed: ${error.problem}`,
      "nothing is lost; pending changes can be committed again",
      error.code,
    );
  }

  /** Runs work when all work before it is done. */
  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.queue.run(async () => {
      if (this.#isClosed) throw this.#closedError();
      return work();
    });
  }
}
