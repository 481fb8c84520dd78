// The keyed part of an index: documents, ids, terms, statistics, deletions and the commit record. A commit is one transaction of
// it. On disk it is a file of LMDB (lmdb-database.ts), in memory it is Maps (memory-database.ts).
//
//   records       "commit" → CHECKED(JSON), "statistics" → CHECKED(…), "sliceTable" → CHECKED(u32 × n),
//                 "writer" → CHECKED(token of the last writer: see lock.ts)
//   ids           UTF-8 of the id → SERIAL: see serial-value.ts
//   documents     last serial of a group → GROUP: see group.ts
//   dictionaries  first serial it was made from → CHECKED(bytes): see dictionary.ts
//   deletions     name of a segment → CHECKED(u32 × ⌈docs / 32⌉)
//   vocabulary    first id → CHECKED(count:u32 slices:u32 × count or nothing, JSON list of the terms)
//   pending       UTF-8 of the id → SERIAL, or 0 for a deleted id; changes of the next commit
//   CHECKED(x)    := crc32(x):u32 x
//
// Groups and dictionaries with serials that the commit record has not reached belong to the next commit, too. Readers do not see
// them. If the commit is never made, the next writer removes them.

import { SluiceError } from "../../support/errors/sluice-error.ts";

/** A view of the database that stays the same until `done`. */
export interface ReadTransaction {
  done(): void;
}

export type Key = string | number | Uint8Array;

export interface KeyRange<K extends Key> {
  /** The first key. */
  readonly start?: K;
  /** The first key after the range. */
  readonly end?: K;
  readonly limit?: number;
  readonly transaction?: ReadTransaction | undefined;
}

/** Keys in order, each with a value. Call the methods that write inside `Database.write`. */
export interface Table<K extends Key> {
  get(key: K, options?: { readonly transaction: ReadTransaction }): Buffer | undefined;
  getKeys(range: KeyRange<K>): Iterable<K>;
  getRange(range: KeyRange<K>): Iterable<{ readonly key: K; readonly value: Buffer }>;
  getCount(options: { readonly transaction: ReadTransaction }): number;
  putSync(key: K, value: Uint8Array): unknown;
  removeSync(key: K): unknown;
  clearSync(): void;
}

export interface Tables {
  readonly records: Table<string>;
  readonly ids: Table<Uint8Array>;
  readonly documents: Table<number>;
  readonly dictionaries: Table<number>;
  readonly deletions: Table<string>;
  readonly vocabulary: Table<number>;
  readonly pending: Table<Uint8Array>;
}

export interface Database extends Tables {
  /** Names it in errors: its file, or "memory". */
  readonly path: string;
  readonly readOnly: boolean;
  /** A view of the last commit, which later commits do not change. */
  view(): ReadTransaction;
  /** The value of a group, without a copy. It is valid until anything else is read. */
  borrowGroup(last: number, transaction: ReadTransaction | undefined): Buffer | undefined;
  /**
   * Runs `work` in a transaction: if it throws, nothing is written. The changes are durable when this returns. `bytes` is about
   * how much it writes.
   */
  write<T>(work: () => T, bytes?: number): T;
  /** Throws if the database was removed or replaced since it was opened. */
  requireInPlace(): void;
  /** Bytes on the disk; 0 in memory. */
  diskBytes(): number;
  /** Closes it for one of those who opened it. The last call closes the file. */
  close(): Promise<void>;
}

/** Thrown where there is no index yet. Its hint is for a program: the command line has its own. */
export class NoIndexError extends SluiceError {
  constructor(path: string) {
    super(
      `${path}: there is no index`,
      "add documents and commit: the first commit makes one",
      "ERR_SLUICE_NO_INDEX",
    );
  }
}

export function noIndexError(path: string): SluiceError {
  return new NoIndexError(path);
}
