// The keyed part of an index: documents, ids, terms, statistics, deletions and the commit record. A transaction of it makes a
// commit whole or nothing. LMDB keeps it in a file (lmdb-database.ts); an index in memory has Maps (memory-database.ts).
//
//   records       "commit" → CHECKED(JSON), "statistics" → CHECKED(…), "sliceTable" → CHECKED(u32 × n),
//                 "writer" → CHECKED(token of the last writer: see lock.ts)
//   ids           UTF-8 of the id → serial:f64
//   documents     last serial of a group → GROUP: see group.ts
//   dictionaries  first serial it was made from → CHECKED(what blocks are compressed with)
//   deletions     name of a segment → CHECKED(u32 × ⌈docs / 32⌉)
//   vocabulary    first id → CHECKED(count:u32 slices:u32 × count or nothing, JSON list of the terms)
//   pending       UTF-8 of the id → serial:f64, or 0 for one that is to go; of a commit that is being made
//   CHECKED(x)    := crc32(x):u32 x
//
// Groups and dictionaries with a serial that the commit record has not reached belong to a commit that is being made, too:
// readers do not see them, and the next writer removes them.

import { UsageError } from "../errors.ts";

/** The longest id, in bytes of UTF-8: ids are LMDB's keys. */
export const LONGEST_ID = 1024;

/** A view of the database that does not change until it is done with. */
export interface ReadTransaction {
  done(): void;
}

export type Key = string | number | Uint8Array;

export interface KeyRange<K extends Key> {
  /** The first key. */
  readonly start?: K;
  /** The key behind the last one. */
  readonly end?: K;
  readonly limit?: number;
  readonly transaction?: ReadTransaction | undefined;
}

/** Keys in order, each with a value. Methods that write belong inside `Database.write`. */
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
  /** A view of what is committed now. */
  view(): ReadTransaction;
  /** The value of a group, without a copy: valid until anything else is read. */
  borrowGroup(last: number, transaction: ReadTransaction | undefined): Buffer | undefined;
  /**
   * Everything that `work` writes, or, when it throws, nothing. It is durable when this returns. `bytes` is about how much
   * it writes.
   */
  write<T>(work: () => T, bytes?: number): T;
  /** Throws when the database was removed or replaced since it was opened. */
  requireInPlace(): void;
  /** Bytes on the disk; 0 in memory. */
  diskBytes(): number;
  /** Closes it when the last who opened it is done. */
  close(): Promise<void>;
}

export function noIndex(path: string): UsageError {
  return new UsageError(`${path}: there is no index`, "build one first", "ERR_SLUICE_NO_INDEX");
}
