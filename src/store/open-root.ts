// Opening LMDB's file. LMDB keeps a lock file beside it, with mutexes that all processes share: the first who opens makes
// them, the last who closes destroys them. Who opens in that very moment waits until the last is gone, takes the
// mutexes for good, and can do nothing with them; and while it has the file open, nobody who comes later can either.
// So whoever finds them destroyed closes the file and tries again: as soon as all have, the next makes new ones.

import { openAsClass, type RootDatabase, type RootDatabaseOptions } from "lmdb";
import { UsageError } from "../errors.ts";

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

export function openRoot(path: string, options: RootDatabaseOptions): Root {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    // The class has the file open already; the first table, which needs the mutexes, is opened by its constructor.
    const Class = openAsClass({ ...options, path }) as unknown as RootClass;
    try {
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

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
