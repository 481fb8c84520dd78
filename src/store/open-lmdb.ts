// Opening LMDB's file. LMDB keeps a lock file beside it, with mutexes that all processes share: the first who opens makes
// them, the last who closes destroys them. Who opens in that very moment waits until the last is gone, takes the
// mutexes for good, and can do nothing with them; and while it has the file open, nobody who comes later can either.
// So whoever finds them destroyed closes the file and tries again: as soon as all have, the next makes new ones.

import type { RootDatabase, RootDatabaseOptions, Transaction } from "lmdb";
import { UsageError } from "../errors.ts";
import { missingPackage } from "../support/packages.ts";

/** What LMDB answers to a mutex that is none. */
const EINVAL = 22;

const LONGEST_WAIT_MS = 10_000;
/** Random, so that those who wait for each other do not come back together. */
const LONGEST_PAUSE_MS = 20;

type Root = RootDatabase<Buffer, string>;

/** What `openAsClass` returns; its own type is not one of a class. */
interface RootClass {
  new (name: null, options: RootDatabaseOptions): Root;
  readonly prototype: Root;
}

export type Lmdb = typeof import("lmdb");

/** LMDB itself, loaded when an index in a folder is first opened: an index in memory does without it. */
export async function loadLmdb(): Promise<Lmdb> {
  try {
    return await import("lmdb");
  } catch (error) {
    throw missingPackage("lmdb", "an index in a folder needs", error, "--omit=optional leaves it out");
  }
}

export function openRoot({ openAsClass }: Lmdb, path: string, options: RootDatabaseOptions): Root {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    // The class has the file open already; the first table, which needs the mutexes, is opened by its constructor.
    const Class = openAsClass({ ...options, path }) as unknown as RootClass;
    try {
      requireReadable(Class, path);
      return new Class(null, { ...options, isRoot: true } as RootDatabaseOptions);
    } catch (error) {
      Class.prototype.close.call({ isRoot: true } as unknown as Root); // what was opened has no other handle
      if ((error as { code?: unknown }).code !== EINVAL) throw error;
    }
    if (Date.now() > deadline) {
      throw new UsageError(
        `${path}: others open and close the index so often that it could not be opened`,
        "try again, or let one process keep it open",
        "ERR_SLUICE_LOCKED",
      );
    }
    pause(1 + Math.random() * LONGEST_PAUSE_MS);
  }
}

/**
 * Begins a read transaction. It needs the mutexes, too, and fails without a word where the constructor would print a line.
 * Where it gets none, LMDB has tried for ten seconds to register as a reader: it tells processes apart by their numbers,
 * and a process with the same number, in another container, is registered already.
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
    throw new UsageError(
      `${path}: a process of another container has the index open and has the same process number, ${process.pid}`,
      "let the containers share their process namespace, or start this process with another number",
      "ERR_SLUICE_LOCKED",
    );
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
