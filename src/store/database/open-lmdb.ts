// Opens LMDB's file. LMDB keeps a lock file beside it, with mutexes that all processes share. A process that ends without closing
// the file destroys them, if it is the last one, and does not hold the lock of opening-lock.ts. Who opens the file in that moment
// finds the mutexes destroyed. It closes the file and tries again: once all have closed it, the next one makes new mutexes.

import type { RootDatabase, RootDatabaseOptions, Transaction } from "lmdb";
import { missingPackageError } from "../../support/environment/packages.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { EINVAL } from "./lmdb-errors.ts";
import { busyError } from "./opening-lock.ts";

const LONGEST_WAIT_MS = 10_000;
/** Pauses are random, so that processes do not try again at the same time. */
const LONGEST_PAUSE_MS = 20;

type Root = RootDatabase<Buffer, string>;

/** What `openAsClass` returns; lmdb's types do not say that it is a class. */
interface RootClass {
  new (name: null, options: RootDatabaseOptions): Root;
  readonly prototype: Root;
}

export type Lmdb = typeof import("lmdb");

/** Loads LMDB when the first index in a folder is opened. An index in memory does not need it. */
export async function loadLmdb(): Promise<Lmdb> {
  try {
    return await import("lmdb");
  } catch (error) {
    throw missingPackageError("lmdb", "an index in a folder needs", error, "--omit=optional leaves it out");
  }
}

/** Tries again for up to 10 seconds if the mutexes are destroyed, and blocks the thread meanwhile. */
export function openRootWithRetries({ openAsClass }: Lmdb, path: string, options: RootDatabaseOptions): Root {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    let Class: RootClass | undefined;
    try {
      // This opens the file. The constructor opens the first table, which needs the mutexes.
      Class = openAsClass({ ...options, path }) as unknown as RootClass;
      requireReadable(Class, path);
      return new Class(null, { ...options, isRoot: true } as RootDatabaseOptions);
    } catch (error) {
      Class?.prototype.close.call({ isRoot: true } as unknown as Root); // the open file has no other handle
      if ((error as { code?: unknown }).code !== EINVAL) throw error; // a destroyed mutex
    }
    if (Date.now() > deadline) throw busyError(path);
    pause(1 + Math.random() * LONGEST_PAUSE_MS);
  }
}

/**
 * Begins a read transaction. It needs the mutexes, too, and fails silently; the constructor would print a line. A TypeError means
 * that LMDB tried for ten seconds to register as a reader: it tells processes apart by their numbers, and a process of another
 * container has the same number.
 */
function requireReadable(Class: RootClass, path: string): void {
  const store = Object.create(Class.prototype) as {
    ensureReadTxn(): void;
    useReadTransaction(): Transaction;
  };
  store.ensureReadTxn();
  try {
    store.useReadTransaction().done();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SluiceError(
      `${path}: a process of another container has the index open and has the same process number, ${process.pid}`,
      "let the containers share their process namespace, or start this process with another number",
      "ERR_SLUICE_LOCKED",
    );
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
