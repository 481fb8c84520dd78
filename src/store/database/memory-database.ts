// The keyed part of an index in memory: a Map for each table that database.ts describes. A view keeps the Maps it saw, and the
// next change copies a Map that a view holds. Nothing else is copied for views and failed transactions.

import { firstAtLeast } from "../../support/numbers/sorted.ts";
import type { Database, Key, KeyRange, ReadTransaction, Table, Tables } from "./database.ts";

const TABLES = ["records", "ids", "documents", "dictionaries", "deletions", "vocabulary", "pending"] as const;

interface Entry<K extends Key> {
  readonly key: K;
  readonly value: Buffer;
}

/** Entries by a key that a Map can compare. They are sorted when a range is first asked for. */
class Entries<K extends Key> {
  readonly #byKey: Map<string | number, Entry<K>>;
  /** Keys in order. Those that were deleted since are still here. */
  #order: readonly (string | number)[] | undefined;
  /** Keys that are not in `#order` yet. */
  #added: (string | number)[] = [];

  constructor(byKey: Iterable<[string | number, Entry<K>]> = []) {
    this.#byKey = new Map(byKey);
  }

  get size(): number {
    return this.#byKey.size;
  }

  copy(): Entries<K> {
    const copy = new Entries(this.#byKey);
    copy.#order = this.#order;
    copy.#added = [...this.#added];
    return copy;
  }

  get(key: K): Buffer | undefined {
    return this.#byKey.get(comparable(key))?.value;
  }

  set(key: K, value: Buffer): void {
    const known = this.#byKey.size;
    this.#byKey.set(comparable(key), { key, value });
    if (this.#order && this.#byKey.size > known) this.#added.push(comparable(key));
  }

  delete(key: K): void {
    this.#byKey.delete(comparable(key));
  }

  range({ start, end, limit = Number.POSITIVE_INFINITY }: KeyRange<K>): Entry<K>[] {
    const order = this.#sorted();
    const last = end === undefined ? undefined : comparable(end);
    const found: Entry<K>[] = [];
    for (let i = start === undefined ? 0 : firstAtLeast(order, comparable(start)); i < order.length; i++) {
      if (found.length >= limit || (last !== undefined && order[i] >= last)) break;
      const entry = this.#byKey.get(order[i]);
      if (entry) found.push(entry);
    }
    return found;
  }

  #sorted(): readonly (string | number)[] {
    if (this.#order && this.#added.length === 0) return this.#order;
    const sort = (keys: Iterable<string | number>) => [...keys].sort((a, b) => (a < b ? -1 : 1));
    if (!this.#order) this.#order = sort(this.#byKey.keys());
    else {
      const known = [...this.#order, ...sort(this.#added)].filter((key) => this.#byKey.has(key));
      this.#order = sort(new Set(known)); // two sorted runs, which JavaScript's sort joins in one pass
    }
    this.#added = [];
    return this.#order;
  }
}

export class MemoryDatabase implements Database {
  readonly path = "memory";
  readonly readOnly = false;
  readonly records = new MemoryTable<string>();
  readonly ids = new MemoryTable<Uint8Array>();
  readonly documents = new MemoryTable<number>();
  readonly dictionaries = new MemoryTable<number>();
  readonly deletions = new MemoryTable<string>();
  readonly vocabulary = new MemoryTable<number>();
  readonly pending = new MemoryTable<Uint8Array>();

  view(): MemoryView {
    return new MemoryView(this);
  }

  borrowGroup(last: number, transaction: ReadTransaction | undefined): Buffer | undefined {
    return this.documents.get(last, transaction && { transaction });
  }

  write<T>(work: () => T): T {
    const before = this.view();
    try {
      return work();
    } catch (error) {
      before.restore();
      throw error;
    }
  }

  requireInPlace(): void {}

  diskBytes(): number {
    return 0;
  }

  async close(): Promise<void> {}
}

/** The content of all tables at one moment. */
class MemoryView implements ReadTransaction {
  readonly #seen = new Map<MemoryTable<never>, Entries<never>>();

  constructor(database: Tables) {
    for (const name of TABLES) {
      const table = database[name] as unknown as MemoryTable<never>;
      this.#seen.set(table, table.lendEntries());
    }
  }

  entriesOf<K extends Key>(table: MemoryTable<K>): Entries<K> {
    return this.#seen.get(table as unknown as MemoryTable<never>) as unknown as Entries<K>;
  }

  /** Undoes all changes since. */
  restore(): void {
    for (const [table, entries] of this.#seen) table.restoreEntries(entries);
  }

  done(): void {}
}

class MemoryTable<K extends Key> implements Table<K> {
  #entries = new Entries<K>();
  /** Whether a view holds the Map. It is then copied before it changes. */
  #isShared = false;

  /** Gives the Map to a view, which never changes it. This table copies the Map before its next change. */
  lendEntries(): Entries<K> {
    this.#isShared = true;
    return this.#entries;
  }

  /** Goes back to the Map of a view. The view keeps it, so this table copies it before its next change. */
  restoreEntries(entries: Entries<K>): void {
    this.#entries = entries;
    this.#isShared = true;
  }

  get(key: K, options?: { readonly transaction: ReadTransaction }): Buffer | undefined {
    return this.#seenBy(options?.transaction).get(key);
  }

  getKeys(range: KeyRange<K>): Iterable<K> {
    return this.getRange(range).map(({ key }) => key);
  }

  getRange(range: KeyRange<K>): Entry<K>[] {
    return this.#seenBy(range.transaction).range(range);
  }

  getCount({ transaction }: { readonly transaction: ReadTransaction }): number {
    return this.#seenBy(transaction).size;
  }

  putSync(key: K, value: Uint8Array): void {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    this.#own().set(key, bytes);
  }

  removeSync(key: K): void {
    this.#own().delete(key);
  }

  clearSync(): void {
    this.#entries = new Entries();
    this.#isShared = false;
  }

  #seenBy(transaction: ReadTransaction | undefined): Entries<K> {
    return transaction instanceof MemoryView ? transaction.entriesOf(this) : this.#entries;
  }

  #own(): Entries<K> {
    if (this.#isShared) {
      this.#entries = this.#entries.copy();
      this.#isShared = false;
    }
    return this.#entries;
  }
}

/** Latin-1 keeps the order of bytes. */
function comparable(key: Key): string | number {
  return key instanceof Uint8Array
    ? Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1")
    : key;
}
