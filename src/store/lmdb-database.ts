// The keyed part of an index in one file of LMDB's: see database.ts for the tables.

import { existsSync, realpathSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import { UsageError } from "../errors.ts";
import { fileError } from "../support/file-error.ts";
import {
  type Database,
  type Key,
  type KeyRange,
  noIndex,
  type ReadTransaction,
  type Table,
} from "./database.ts";
import { databasePages, requireDatabase, tablePages } from "./database-header.ts";
import { isNearlyFull, requireRoom, takeRoom } from "./disk-room.ts";
import { type Lmdb, loadLmdb, openRoot } from "./open-root.ts";

export const DATABASE_FILE = "index.mdb";

const MOST_READERS = 1024;
/** The file is made longer for a transaction, without taking room on the disk: see `requireDatabase`. */
const SLACK_BYTES = 1 << 20;
/** Room that a transaction takes on a nearly full disk, besides what it is told to write. */
const LEAST_ROOM_BYTES = 1 << 18;
/** What a new database and its lock file take. */
const NEW_BYTES = 1 << 18;
/** At most so many bytes of pages are copied for a byte that is put somewhere into the table of ids: 4 pages for 64. */
const COPIED_PER_BYTE = 256;

/** What `stat` counts in. */
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

  private constructor(
    lmdb: Lmdb,
    path: string,
    { readOnly, create }: { readOnly: boolean; create: boolean },
  ) {
    this.path = path;
    this.readOnly = readOnly;
    this.#root = openRoot(lmdb, path, {
      encoding: "binary",
      noSubdir: true,
      readOnly,
      maxDbs: 8,
      maxReaders: MOST_READERS,
      // A transaction is on the disk when it is over: nothing is left to a flush that comes later.
      overlappingSync: false,
    });
    const table = <Key extends string | number | Uint8Array>(
      name: string,
      keys: "binary" | "ordered-binary",
    ) => {
      const options = { encoding: "binary", keyEncoding: keys, create } as const;
      try {
        const opened = this.#root.openDB<Buffer, Key>(name, options);
        if (opened) return new LmdbTable(opened as unknown as Table<Key>, path);
      } catch (error) {
        if ((error as { code?: unknown }).code !== NOT_FOUND) throw error;
      }
      throw noIndex(path);
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
      void this.#root.close(); // at once: nothing was written
      throw error;
    }
  }

  /**
   * Opens the database of a folder, and makes one, where there is none and `create` says so. LMDB must not be opened
   * twice in one process, so all who open the same share one; and it is opened for writing wherever that is
   * possible, since a writer may come later.
   */
  static async open(folder: string, { create }: { create: boolean }): Promise<LmdbDatabase> {
    const lmdb = await loadLmdb(); // the rest is done at once: two who open together must not both find nothing
    const path = join(realpathSync(folder), DATABASE_FILE);
    const shared = opened.get(path);
    if (shared) {
      shared.requireInPlace();
      shared.#users++;
      return shared;
    }
    if (!create && !existsSync(path)) throw noIndex(path);
    requireDatabase(path);
    try {
      if (!existsSync(path) || !existsSync(`${path}-lock`)) requireRoom(path, NEW_BYTES);
    } catch (error) {
      throw databaseError(error, path);
    }
    const database = LmdbDatabase.#either(lmdb, path, create);
    opened.set(path, database);
    return database;
  }

  /** Where writing is not possible, for reading. */
  static #either(lmdb: Lmdb, path: string, create: boolean): LmdbDatabase {
    try {
      return new LmdbDatabase(lmdb, path, { readOnly: false, create });
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (create || (code !== EROFS && code !== EACCES)) throw databaseError(error, path);
      return new LmdbDatabase(lmdb, path, { readOnly: true, create: false });
    }
  }

  /** A view of what is committed now. */
  view(): ReadTransaction {
    this.#root.resetReadTxn();
    return this.#root.useReadTransaction();
  }

  /** The value of a group, without a copy: gone when anything else is read. */
  borrowGroup(last: number, transaction: ReadTransaction | undefined): Buffer | undefined {
    const bytes = this.documents.borrow(last, transaction);
    return bytes?.subarray(0, bytes.length); // LMDB's buffer is longer than it says
  }

  /**
   * Everything that `work` writes, or, when it throws, nothing. On the disk when this returns. `bytes` is about how
   * much it writes.
   */
  write<T>(work: () => T, bytes = 0): T {
    try {
      // The length of the file changes only while LMDB keeps all other writers out, even one that has lost its lock.
      const result = this.#root.transactionSync(() => {
        this.#makeRoom(bytes);
        return work();
      });
      this.#root.transactionSync(() => this.#stretch(0));
      return result;
    } catch (error) {
      this.#giveBackRoom();
      throw databaseError(error, this.path, "; the last commit is unchanged");
    }
  }

  /** Holds off every other process that would write, while `work` runs; writes nothing. */
  exclusively<T>(work: () => T): T {
    try {
      return this.#root.transactionSync(work);
    } catch (error) {
      throw databaseError(error, this.path);
    }
  }

  /** What the file takes on the disk, nothing when it was removed: it is longer than that, see `requireDatabase`. */
  diskBytes(): number {
    return (statSync(this.path, { throwIfNoEntry: false })?.blocks ?? 0) * BLOCK_BYTES;
  }

  /** Refuses to go on when the file was removed or replaced since it was opened. */
  requireInPlace(): void {
    if (statSync(this.path, { throwIfNoEntry: false })?.ino === this.#inode) return;
    throw new UsageError(
      `${this.path}: was removed or replaced since it was opened`,
      "open the index again",
      "ERR_SLUICE_FILE",
    );
  }

  /** Removes the file. Those who have it open find out by `requireInPlace`. */
  removeFiles(): void {
    this.requireInPlace();
    rmSync(this.path);
    rmSync(`${this.path}-lock`, { force: true });
  }

  /** Closes the file when the last who opened it is done. */
  async close(): Promise<void> {
    this.#users--;
    if (this.#users > 0) return;
    opened.delete(this.path);
    await this.#root.close();
  }

  /** Makes the file end so many bytes behind its last page: see `requireDatabase`. Returns where that page ends. */
  #stretch(bytes: number): number {
    const { pageSize, lastPageNumber } = databasePages(this.#root.getStats());
    const end = (lastPageNumber + 1) * pageSize;
    const length = end + Math.ceil(bytes / pageSize) * pageSize;
    if (statSync(this.path).size !== length) truncateSync(this.path, length);
    return end;
  }

  /** Makes the file long enough for a transaction, and takes the room on the disk, too, where there is little: disk-room.ts. */
  #makeRoom(bytes: number): void {
    const end = this.#stretch(bytes * 3 + SLACK_BYTES);
    const copied = Math.min(bytes * COPIED_PER_BYTE, tableBytes(this.ids) + tableBytes(this.pending));
    const room = bytes * 2 + copied + LEAST_ROOM_BYTES;
    if (!isNearlyFull(this.path, room)) return;
    // Pages inside the file that were never written take no room yet, but may.
    const holes = Math.min(SLACK_BYTES, Math.max(0, end - this.diskBytes()));
    takeRoom(this.path, end, end + room, holes);
  }

  /** After an error: a file that is too long does no harm, so another error here is none. */
  #giveBackRoom(): void {
    try {
      this.#root.transactionSync(() => this.#stretch(0));
    } catch {}
  }
}

/** By path: what this process has open. */
const opened = new Map<string, LmdbDatabase>();

const [ENOENT, EIO, EACCES, ENOSPC, EROFS] = [2, 5, 13, 28, 30];
const SYSTEM: Readonly<Record<number, string>> = {
  [ENOENT]: "ENOENT",
  [EACCES]: "EACCES",
  [ENOSPC]: "ENOSPC",
  [EROFS]: "EROFS",
};
const NOT_FOUND = -30_798;
/** MDB_KEYEXIST … MDB_LAST_ERRCODE */
const LMDB_CODES = [-30_799, -30_779] as const;

/** LMDB's complaints carry numbers, and a disk that became full in the middle of a write shows as a failed one. */
function databaseError(error: unknown, path: string, more = ""): unknown {
  if (error instanceof UsageError) return error;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string };
  if (typeof code === "string") return fileError(error, path, more);
  if (typeof code !== "number") return error;
  const isFull = code === ENOSPC || (code === EIO && isNearlyFull(path, 0));
  const name = isFull ? "ENOSPC" : SYSTEM[code];
  if (name) return fileError(Object.assign(new Error(message), { code: name }), path, more);
  if (code >= LMDB_CODES[0] && code <= LMDB_CODES[1]) {
    return new UsageError(
      `${path}: the file is damaged: ${message}`,
      "restore it from a copy, or build the index again",
      "ERR_SLUICE_DAMAGED",
    );
  }
  return error;
}

/** What the pages of a table take. */

/** A table of LMDB's, with errors that name the file. */
class LmdbTable<K extends Key> implements Table<K> {
  readonly #table: Table<K>;
  readonly #path: string;

  constructor(table: Table<K>, path: string) {
    this.#table = table;
    this.#path = path;
  }

  get(key: K, options?: { readonly transaction: ReadTransaction }): Buffer | undefined {
    return this.#named(() => this.#table.get(key, options));
  }

  /** The value without a copy: valid until anything else is read, and longer than it says. */
  borrow(key: K, transaction: ReadTransaction | undefined): Buffer | undefined {
    const table = this.#table as unknown as {
      getBinaryFast(key: K, options?: { transaction: ReadTransaction }): Buffer | undefined;
    };
    return this.#named(() => table.getBinaryFast(key, transaction && { transaction }));
  }

  *getKeys(range: KeyRange<K>): Generator<K> {
    yield* this.#namedEach(() => this.#table.getKeys(range));
  }

  *getRange(range: KeyRange<K>): Generator<{ readonly key: K; readonly value: Buffer }> {
    yield* this.#namedEach(() => this.#table.getRange(range));
  }

  getCount(options: { readonly transaction: ReadTransaction }): number {
    return this.#named(() => this.#table.getCount(options));
  }

  getStats(): object {
    return (this.#table as unknown as { getStats(): object }).getStats();
  }

  putSync(key: K, value: Uint8Array): void {
    this.#table.putSync(key, value);
  }

  removeSync(key: K): void {
    this.#table.removeSync(key);
  }

  clearSync(): void {
    this.#table.clearSync();
  }

  #named<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw databaseError(error, this.#path);
    }
  }

  *#namedEach<T>(work: () => Iterable<T>): Generator<T> {
    try {
      yield* work();
    } catch (error) {
      throw databaseError(error, this.#path);
    }
  }
}

function tableBytes(table: LmdbTable<Uint8Array>): number {
  const { pageSize, treeBranchPageCount, treeLeafPageCount } = tablePages(table.getStats());
  return (treeBranchPageCount + treeLeafPageCount) * pageSize;
}
