// One writer at a time. The writer holds a lock of the operating system on writer.lock. The system releases it when the process
// ends, however it ends, and it holds between containers and hosts that share a disk. The file's content only says who the
// writer is, for the error message.
//
// A lock can still be lost: somebody deletes the file, or a network disk forgets it. So a writer also puts a random token into
// the database when it begins. Each of its transactions first checks that the token is still there.

import { randomBytes } from "node:crypto";
import { closeSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { addChecksum, verifyChecksum } from "../../segment/container/checksum.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { fileError } from "../../support/files/file-error.ts";
import { isSameFile, loadTryLock, lockError, type TryLock } from "./file-lock.ts";
import type { LmdbDatabase } from "./lmdb-database.ts";

export const LOCK_FILE = "writer.lock";

/** The record of the database that holds the token of the last writer. */
export const TOKEN_RECORD = "writer";

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

/** What a writer holds while it lives. */
export interface Lock {
  /** A few letters that tell this writer from others. */
  readonly name: string;
  /** Throws if another writer has begun since. Call it within a transaction, before anything is written. */
  requireOwn(): void;
  /** Lets others write. With `leftovers`, removes the database first, because nothing was ever committed to it. */
  release(options?: { leftovers: boolean }): void;
}

/** An index in memory has no other writers. */
export const NO_LOCK: Lock = { name: "memory", requireOwn() {}, release() {} };

export class WriterLock implements Lock {
  readonly #path: string;
  readonly #fd: number;
  readonly #database: LmdbDatabase;
  readonly #token = randomBytes(16).toString("hex");
  #isHeld = true;

  get name(): string {
    return this.#token.slice(0, 6);
  }

  private constructor(path: string, fd: number, database: LmdbDatabase) {
    this.#path = path;
    this.#fd = fd;
    this.#database = database;
  }

  /** Takes the lock, or throws an error that names the process that has it. */
  static async take(folder: string, database: LmdbDatabase): Promise<WriterLock> {
    const tryLock = await loadTryLock();
    const path = join(folder, LOCK_FILE);
    const fd = lockFile(path, tryLock);
    const lock = new WriterLock(path, fd, database);
    try {
      database.requireInPlace();
      const holder: Holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() };
      ftruncateSync(fd);
      writeSync(fd, `${JSON.stringify(holder)}\n`, 0);
      database.write(() => database.records.putSync(TOKEN_RECORD, addChecksum(Buffer.from(lock.#token))));
      return lock;
    } catch (error) {
      lock.#letGo();
      throw fileError(error, path);
    }
  }

  requireOwn(): void {
    if (!this.isOwn()) throw takenOverError(this.#database.path);
  }

  /** Whether no other writer has begun since. */
  isOwn(): boolean {
    const bytes = this.#database.records.get(TOKEN_RECORD);
    if (!bytes) return false;
    return verifyChecksum(bytes, this.#database.path, "the writer's token").toString() === this.#token;
  }

  release({ leftovers }: { leftovers: boolean } = { leftovers: false }): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    try {
      if (leftovers) {
        this.#database.exclusively(() => {
          if (this.isOwn()) this.#database.removeFiles();
        });
      }
    } finally {
      this.#letGo();
    }
  }

  #letGo(): void {
    unlockFile(this.#fd, this.#path);
  }
}

/** Keeps writers away from a folder until the returned function is called. Throws if there is a writer. */
export async function keepWritersOut(folder: string): Promise<() => void> {
  const path = join(folder, LOCK_FILE);
  const fd = lockFile(path, await loadTryLock());
  return () => unlockFile(fd, path);
}

function unlockFile(fd: number, path: string): void {
  try {
    // Removed while it is still locked: whoever opened it in the meantime notices in `lockFile`. If another writer made a new
    // file, it stays.
    if (isSameFile(fd, path)) rmSync(path, { force: true });
  } catch {
    // A file that stays does not matter. Only the lock keeps others out, and it ends with the descriptor.
  } finally {
    closeSync(fd);
  }
}

/** The error if another process wrote to the index although this one had the lock. */
export function takenOverError(path: string): SluiceError {
  return new SluiceError(
    `${path}: another writer has taken over the index; nothing of it was overwritten, and pending changes cannot be committed`,
    "open the index again, and make the changes again; all writers must see the same lock file",
    "ERR_SLUICE_CONFLICT",
  );
}

/** Opens the lock file and locks it. The lock lives as long as the descriptor. */
function lockFile(path: string, tryLock: TryLock): number {
  for (;;) {
    let fd: number;
    try {
      fd = openSync(path, "a+");
    } catch (error) {
      throw fileError(error, path);
    }
    try {
      if (!tryLock(fd)) throw lockedError(path);
      if (isSameFile(fd, path)) return fd;
    } catch (error) {
      closeSync(fd);
      throw lockError(error, path);
    }
    closeSync(fd); // the writer before removed the file between these two calls: try again with a new one
  }
}

function lockedError(path: string): SluiceError {
  const holder = readHolder(path);
  const isThis = holder?.pid === process.pid && holder.host === hostname();
  const who = !holder
    ? "another process"
    : isThis
      ? "this process"
      : `process ${holder.pid} on ${holder.host}`;
  const since = holder ? `, since ${holder.since}` : "";
  return new SluiceError(
    `${path}: ${who} is writing to the index${since}`,
    "close it there first, or open the index with readOnly",
    "ERR_SLUICE_LOCKED",
  );
}

/** Who holds the lock; undefined if the file does not say so yet or cannot be read. */
function readHolder(path: string): Holder | undefined {
  try {
    const { pid, host, since } = JSON.parse(readFileSync(path, "utf8")) as Holder;
    return Number.isInteger(pid) && typeof host === "string" ? { pid, host, since } : undefined;
  } catch {
    return undefined;
  }
}
