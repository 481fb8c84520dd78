// Pending documents → groups for the database. From some megabytes on, a thread compresses documents while others arrive. In
// memory, fewer documents are not compressed at all: that would only take time.

import type { Database } from "../../store/database/database.ts";
import { buildDictionary, type Dictionary, findLastDictionary } from "../../store/packed/dictionary.ts";
import type { DocumentJson } from "../../store/packed/group.ts";
import { type PackedGroup, packGroupsInTurns } from "../../store/packed/pack.ts";
import type { Pending } from "../collect/pending.ts";
import { BuildPool } from "./build-pool.ts";

/** Pending documents take this many bytes when a thread starts. Fewer are packed sooner than a thread starts. */
const THREAD_BYTES = 8 * 1024 * 1024;
/** JSON that the thread compresses in one task, in bytes. */
const TASK_BYTES = 4 * 1024 * 1024;

interface PackerOptions {
  readonly database: Database;
  /** Whether documents go to a disk. If not, they are compressed only where a thread does it. */
  readonly isDurable: boolean;
  /** Dictionaries with lower serial numbers are not used: they belong to an index that is to be replaced. */
  readonly firstDictionary: number;
}

export class Packer {
  readonly #pending: Pending;
  readonly #options: PackerOptions;
  #dictionary: Dictionary | undefined;
  /** null if the thread cannot start here. */
  #pool: BuildPool | null | undefined;
  /** Documents of the buffer before this offset are packed, or being packed. */
  #packedTo = 0;
  #packing: Promise<PackedGroup[]>[] = [];

  constructor(pending: Pending, options: PackerOptions) {
    this.#pending = pending;
    this.#options = options;
  }

  /** The pool, if enough documents are pending for one. */
  pool(): BuildPool | undefined {
    if (this.#pool === undefined && this.#pending.buffer.bytes >= THREAD_BYTES) {
      this.#pool = BuildPool.start() ?? null;
    }
    return this.#pool ?? undefined;
  }

  /** Gives the thread its next task, if enough documents came since the last. */
  packNext(): void {
    if (this.#pending.buffer.jsonBytesFrom(this.#packedTo) >= TASK_BYTES && this.pool()) this.packRest();
  }

  /** Packs all documents of the buffer that are not packed yet. */
  packRest(): void {
    const { buffer } = this.#pending;
    this.#pack([...buffer.stored(this.#packedTo)]);
    this.#packedTo = buffer.length;
  }

  /** The groups packed since `restart`, when all are ready. */
  async finishGroups(): Promise<PackedGroup[]> {
    return (await Promise.all(this.#packing)).flat();
  }

  /** Begins with a new buffer. */
  restart(): void {
    this.#packedTo = 0;
    this.#packing = [];
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }

  #pack(documents: readonly DocumentJson[]): void {
    if (documents.length === 0) return;
    const compress = this.#options.isDurable || this.#pool != null;
    const dictionary = compress ? this.#dictionaryFor(documents) : undefined;
    const threaded = this.#pool?.pack(documents, dictionary);
    const packing = threaded ?? packGroupsInTurns(documents, dictionary, { compress });
    packing.catch(() => {}); // groups() reports it, unless another error came first
    this.#packing.push(packing);
  }

  /** The dictionary of this index. The first documents make one. */
  #dictionaryFor(documents: readonly DocumentJson[]): Dictionary | undefined {
    const { database, firstDictionary } = this.#options;
    this.#dictionary ??= findLastDictionary(database, { start: firstDictionary });
    if (!this.#dictionary) {
      this.#pending.dictionary = buildDictionary(documents);
      this.#dictionary = this.#pending.dictionary;
    }
    return this.#dictionary;
  }
}
