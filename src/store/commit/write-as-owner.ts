// The transaction of a writer: nothing is written if another writer has the index now.

import type { Database } from "../database/database.ts";
import { type Lock, takenOverError } from "../database/lock.ts";
import { readCommit } from "../record/commit-record.ts";

interface Owner {
  readonly database: Database;
  readonly lock: Lock;
  /** The generation of the last commit that the writer knows; undefined before the first commit. */
  readonly generation: number | undefined;
}

/**
 * Runs `work` in a transaction. Throws, without overwriting anything, if another writer has begun or committed in the meantime.
 * `bytes` is about how much is written.
 */
export function writeAsOwner(
  { database, lock, generation }: Owner,
  work: () => void,
  bytes: number | undefined,
): void {
  database.write(() => {
    database.requireInPlace();
    lock.requireOwn();
    if (readCommit(database)?.generation !== generation) throw takenOverError(database.path);
    work();
  }, bytes);
}
