// A table of LMDB, with errors that name the file.

import type { Key, KeyRange, ReadTransaction, Table } from "./database.ts";
import { databaseError } from "./lmdb-errors.ts";

/** What LMDB's own tables have beyond ours; its types leave this out. */
interface LmdbMethods<K extends Key> {
  getBinaryFast(key: K, options?: { transaction: ReadTransaction }): Buffer | undefined;
  getStats(): { pageSize: number; treeBranchPageCount: number; treeLeafPageCount: number };
}

export class LmdbTable<K extends Key> implements Table<K> {
  readonly #table: Table<K> & LmdbMethods<K>;
  readonly #path: string;

  /** `table` comes from `openDB`. */
  constructor(table: unknown, path: string) {
    this.#table = table as Table<K> & LmdbMethods<K>;
    this.#path = path;
  }

  get(key: K, options?: { readonly transaction: ReadTransaction }): Buffer | undefined {
    return this.#named(() => this.#table.get(key, options));
  }

  /** The value without a copy. It is valid until anything else is read, and its buffer is longer than it says. */
  borrow(key: K, transaction: ReadTransaction | undefined): Buffer | undefined {
    return this.#named(() => this.#table.getBinaryFast(key, transaction && { transaction }));
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

  /** Bytes of its pages. */
  get bytes(): number {
    const { pageSize, treeBranchPageCount, treeLeafPageCount } = this.#table.getStats();
    return (treeBranchPageCount + treeLeafPageCount) * pageSize;
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
