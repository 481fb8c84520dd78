// One process at a time opens or closes the file of LMDB. The first process that opens it sets up the memory that all processes
// share: mutexes, and the number of the last transaction. The last one that closes it destroys the mutexes. A process that is
// killed in the middle of this leaves that memory half made, and LMDB lets a process that waits for it in: it then reads an old
// commit, or writes over a new one. So we let no process wait there.
//
// The lock is one of the system on a byte of index.mdb, far behind its end. On Linux, a killed process loses LMDB's own lock
// before this one: the kernel releases locks of a process (fcntl) when it closes the descriptors, and locks of a descriptor (OFD)
// later. So a process that gets this lock finds the shared memory whole, or sets it up itself.

import { closeSync, openSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { fileError } from "../../support/files/file-error.ts";
import { isSameFile, loadTryLock, lockError, type TryLock } from "./file-lock.ts";

const LONGEST_WAIT_MS = 30_000;
/** Pauses are random, so that processes do not try again at the same time. */
const LONGEST_PAUSE_MS = 8;
/**
 * Behind the end of every file. Windows forbids other processes to write locked bytes; macOS locks whole files only, and forbids
 * nothing.
 */
const RANGE: readonly number[] = process.platform === "darwin" ? [] : [2 ** 50, 1];

/** Waits until no other process opens or closes the database at `path`. None does until the returned function is called. */
export async function lockOpening(path: string): Promise<() => void> {
  const fd = await lockDatabase(path, await loadTryLock());
  return () => {
    if (fd !== undefined) closeSync(fd); // and so releases the lock
  };
}

/** A descriptor with the lock; undefined if there is no file, or if LMDB may not write here and so shares no memory either. */
async function lockDatabase(path: string, tryLock: TryLock): Promise<number | undefined> {
  for (const deadline = Date.now() + LONGEST_WAIT_MS; ; ) {
    const fd = openDatabaseFile(path);
    if (fd === undefined) return undefined;
    try {
      if (tryLock(fd, ...RANGE) && isSameFile(fd, path)) return fd;
    } catch (error) {
      closeSync(fd);
      throw lockError(error, path);
    }
    closeSync(fd);
    if (Date.now() > deadline) throw busyError(path);
    await setTimeout(Math.random() * LONGEST_PAUSE_MS);
  }
}

function openDatabaseFile(path: string): number | undefined {
  try {
    return openSync(path, "r+");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EACCES" || code === "EPERM" || code === "EROFS") return undefined;
    throw fileError(error, path);
  }
}

/** The error about an index that others open and close all the time. */
export function busyError(path: string): SluiceError {
  return new SluiceError(
    `${path}: others open and close the index so often that it could not be opened`,
    "try again, or let one process keep it open",
    "ERR_SLUICE_LOCKED",
  );
}
