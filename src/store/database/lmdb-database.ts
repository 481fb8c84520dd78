// The keyed part of an index in LMDB's file: database.ts describes the tables.

import { existsSync, readdirSync, realpathSync, rmSync, statSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RootDatabase } from "lmdb";
import { isSegmentFile, SEGMENTS_FOLDER } from "../../segment/segment-file.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { syncSync } from "../../support/files/sync-folder.ts";
import { type Database, type Key, noIndexError, type ReadTransaction } from "./database.ts";
import { isNearlyFull, requireDiskSpace, reserveDiskSpace } from "./disk-space.ts";
import { brokenError, databaseError, EINVAL, isTableMissing, isWriteRefused } from "./lmdb-errors.ts";
import { requireDatabase } from "./lmdb-header.ts";
import { LmdbTable } from "./lmdb-table.ts";
import { nameDatabase, removeTemporary, temporaryName } from "./new-database.ts";
import { type Lmdb, loadLmdb, openRootWithRetries } from "./open-lmdb.ts";
import { lockOpening } from "./opening-lock.ts";

export const DATABASE_FILE = "index.mdb";

/** The most read transactions that all processes together have open. More: a longer lock file. */
const MOST_READERS = 1024;
/** How many bytes the file is longer than needed when a transaction begins. They are a hole on the disk: see lmdb-header.ts. */
const SLACK_BYTES = 1 << 20;
/** Space that a transaction reserves on a nearly full disk, in addition to the bytes that it is told to write. */
const LEAST_FREE_BYTES = 1 << 18;
/** What a new database and its lock file take. */
const NEW_BYTES = 1 << 18;
/** The most bytes of pages that are copied for each byte put at random into the table of ids: 4 pages for 64 bytes. */
const COPIED_PER_BYTE = 256;
/** The unit of `blocks` in `stat`. */
const BLOCK_BYTES = 512;

export class LmdbDatabase implements Database {
  readonly path: string;
  readonly readOnly: boolean;
  readonly records: LmdbTable<string>;
  readonly ids: LmdbTable<Uint8Array>;
  readonly documents: LmdbTable<number>;
  readonly dictionaries: LmdbTable<number>;
  readonly deletions: LmdbTable<string>;
  readonly vocabulary: LmdbTable<number>;
  readonly pending: LmdbTable<Uint8Array>;
  readonly #root: RootDatabase<Buffer, string>;
  readonly #inode: number;
  #users = 1;
  /** Whether a write of LMDB failed. After most failures it refuses every later transaction, with EINVAL. */
  #hasFailed = false;

  private constructor(
    lmdb: Lmdb,
    path: string,
    { readOnly, create }: { readOnly: boolean; create: boolean },
  ) {
    this.path = path;
    this.readOnly = readOnly;
    this.#root = openRootWithRetries(lmdb, path, {
      encoding: "binary",
      noSubdir: true,
      readOnly,
      maxDbs: 8,
      maxReaders: MOST_READERS,
      overlappingSync: false, // a transaction is on the disk when it returns
    });
    const table = <K extends Key>(name: string, keyEncoding: "binary" | "ordered-binary") => {
      try {
        const options = { encoding: "binary", keyEncoding, create } as const;
        const opened = this.#root.openDB<Buffer, K>(name, options);
        if (opened) return new LmdbTable<K>(opened, path);
      } catch (error) {
        if (!isTableMissing(error)) throw error;
      }
      throw noIndexError(path);
    };
    try {
      this.records = table<string>("records", "ordered-binary");
      this.ids = table<Uint8Array>("ids", "binary");
      this.documents = table<number>("documents", "ordered-binary");
      this.dictionaries = table<number>("dictionaries", "ordered-binary");
      this.deletions = table<string>("deletions", "ordered-binary");
      this.vocabulary = table<number>("vocabulary", "ordered-binary");
      this.pending = table<Uint8Array>("pending", "binary");
      this.#inode = statSync(path).ino;
    } catch (error) {
      void this.#root.close(); // nothing was written, so it closes at once
      throw error;
    }
  }

  /**
   * Opens the database of a folder; with `create`, makes one if the folder has none. LMDB must not open a file twice in a process,
   * so all who open the same file share one. It is opened for writing if possible, because a writer may come later.
   */
  static async open(folder: string, { create }: { create: boolean }): Promise<LmdbDatabase> {
    const lmdb = await loadLmdb();
    const path = join(realpathSync(folder), DATABASE_FILE);
    if (create && !existsSync(path)) await LmdbDatabase.#make(lmdb, path);
    const unlock = await lockOpening(path);
    try {
      return LmdbDatabase.#shared(lmdb, path, create);
    } finally {
      unlock();
    }
  }

  /** Nothing is awaited here, so two callers of this process cannot both find it closed. */
  static #shared(lmdb: Lmdb, path: string, create: boolean): LmdbDatabase {
    const shared = opened.get(path);
    if (shared?.isInPlace()) {
      shared.#users++;
      return shared;
    }
    // Another file may be there now. Those who have the old one open keep it until they close it.
    if (!create && !existsSync(path)) throw noIndexError(path);
    requireDatabase(path);
    try {
      if (!existsSync(`${path}-lock`)) requireDiskSpace(path, NEW_BYTES);
    } catch (error) {
      throw databaseError(error, path);
    }
    const database = LmdbDatabase.#openFile(lmdb, path, create);
    opened.set(path, database);
    return database;
  }

  /** Makes a database with empty tables. It gets its name when all of it is on the disk: see new-database.ts. */
  static async #make(lmdb: Lmdb, path: string): Promise<void> {
    const temporary = temporaryName(path);
    try {
      requireDiskSpace(temporary, 2 * NEW_BYTES);
      const made = LmdbDatabase.#openFile(lmdb, temporary, true);
      await made.#root.close();
      nameDatabase(temporary, path);
    } catch (error) {
      throw databaseError(error, path);
    } finally {
      removeTemporary(temporary);
    }
  }

  static #openFile(lmdb: Lmdb, path: string, create: boolean): LmdbDatabase {
    try {
      return new LmdbDatabase(lmdb, path, { readOnly: false, create });
    } catch (error) {
      if (create || !isWriteRefused(error)) throw databaseError(error, path);
      return new LmdbDatabase(lmdb, path, { readOnly: true, create: false });
    }
  }

  view(): ReadTransaction {
    try {
      this.#root.resetReadTxn();
      return this.#root.useReadTransaction();
    } catch (error) {
      throw databaseError(error, this.path);
    }
  }

  borrowGroup(last: number, transaction: ReadTransaction | undefined): Buffer | undefined {
    const bytes = this.documents.borrow(last, transaction);
    return bytes?.subarray(0, bytes.length); // LMDB's buffer is longer than it says
  }

  write<T>(work: () => T, bytes = 0): T {
    try {
      // The length of the file changes only inside a transaction, which keeps out even a writer that lost its lock.
      return this.#root.transactionSync(() => {
        this.#reserveSpace(bytes);
        return work();
      });
    } catch (error) {
      throw this.#writeError(error);
    } finally {
      this.#releaseSpace();
    }
  }

  #writeError(error: unknown): unknown {
    const { code } = (error ?? {}) as { code?: unknown };
    const isBroken = this.#hasFailed && code === EINVAL;
    this.#hasFailed ||= typeof code === "number";
    const more = "; the last commit is unchanged";
    return isBroken ? brokenError(this.path, more) : databaseError(error, this.path, more);
  }

  /** Keeps all other processes from writing while `work` runs. Writes nothing. */
  exclusively<T>(work: () => T): T {
    try {
      return this.#root.transactionSync(work);
    } catch (error) {
      throw databaseError(error, this.path);
    }
  }

  /** What the file takes on the disk; 0 if it was removed. Its length is more, because it has holes. */
  diskBytes(): number {
    return (statSync(this.path, { throwIfNoEntry: false })?.blocks ?? 0) * BLOCK_BYTES;
  }

  /** Writes a consistent copy, without free pages, while others read and write. */
  async copyTo(path: string): Promise<void> {
    this.requireInPlace();
    try {
      await this.#root.backup(path, true);
    } catch (error) {
      throw databaseError(error, path);
    }
  }

  /** Whether the path still leads to the file that is open. An open file keeps its inode, so no other file can have it. */
  isInPlace(): boolean {
    return statSync(this.path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  requireInPlace(): void {
    if (this.isInPlace()) return;
    throw new SluiceError(
      `${this.path}: was removed or replaced since it was opened`,
      "open the index again",
      "ERR_SLUICE_FILE",
    );
  }

  /**
   * Removes the file, unless segments are left that could not be removed: segments without a database look like a folder that was
   * copied in part. For others who have it open, `requireInPlace` throws from now on.
   */
  removeFiles(): void {
    this.requireInPlace();
    const segments = join(dirname(this.path), SEGMENTS_FOLDER);
    if (existsSync(segments)) {
      if (readdirSync(segments).some(isSegmentFile)) return;
      syncSync(segments); // a power loss must not bring a segment back after the database is gone
    }
    rmSync(this.path);
    rmSync(`${this.path}-lock`, { force: true });
  }

  async close(): Promise<void> {
    // Without the lock it is closed all the same: the lock matters only if this process is killed in this moment.
    const unlock = await lockOpening(this.path).catch(() => () => {});
    try {
      this.#users--;
      if (this.#users > 0) return;
      if (opened.get(this.path) === this) opened.delete(this.path);
      await this.#root.close();
    } finally {
      unlock();
    }
  }

  /** Makes the file end this many bytes after its last page: see lmdb-header.ts. Returns where that page ends. */
  #resize(bytes: number): number {
    // LMDB's types leave open what its statistics hold.
    const { pageSize, lastPageNumber } = this.#root.getStats() as Record<
      "pageSize" | "lastPageNumber",
      number
    >;
    const end = (lastPageNumber + 1) * pageSize;
    const length = end + Math.ceil(bytes / pageSize) * pageSize;
    if (statSync(this.path).size !== length) truncateSync(this.path, length);
    return end;
  }

  /** Makes the file long enough for a transaction. On a nearly full disk, reserves the space as well: disk-space.ts. */
  #reserveSpace(bytes: number): void {
    const end = this.#resize(bytes * 3 + SLACK_BYTES);
    const copied = Math.min(bytes * COPIED_PER_BYTE, this.ids.bytes + this.pending.bytes);
    const needed = bytes * 2 + copied + LEAST_FREE_BYTES;
    if (!isNearlyFull(this.path, needed)) return;
    // Pages that were never written take no space yet, but may during the transaction.
    const holes = Math.min(SLACK_BYTES, Math.max(0, end - this.diskBytes()));
    reserveDiskSpace(this.path, end, end + needed, holes);
  }

  /** A file that is too long does no harm, so an error is ignored: what was committed before is on the disk. */
  #releaseSpace(): void {
    try {
      this.#root.transactionSync(() => this.#resize(0));
    } catch {}
  }
}

/** By path: the file that this process opened there last, and has open. */
const opened = new Map<string, LmdbDatabase>();
