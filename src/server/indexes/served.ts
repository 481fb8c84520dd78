// The indexes of a server, found by the name that stands in the URL. Those of the server's folder can be created and dropped.

import { type OpenOptions, type Sluice, SluiceError } from "../../index.ts";
import { NAME_PATTERN } from "../../schemas/indexes/index-schema.ts";
import { beyondLimitError, HttpError, nameTakenError, readOnlyError } from "../wire/http-errors.ts";
import type { Limits } from "../wire/limits.ts";
import { ChangeQueue } from "./change-queue.ts";
import type { ServedFolder } from "./served-folder.ts";

/** Stops a request; it is answered with the error. */
type Stop = (reason: HttpError) => void;

/** One index with its name, its queue of changes, and the requests that use it. */
export class ServedIndex {
  readonly name: string;
  readonly index: Sluice;
  readonly queue: ChangeQueue;
  readonly #users = new Set<Stop>();
  #isDropped = false;
  #isDamaged = false;
  #unused: (() => void) | undefined;

  constructor(name: string, index: Sluice, limits: Pick<Limits, "transactionMs" | "waitMs">) {
    this.name = name;
    this.index = index;
    this.queue = new ChangeQueue(index, limits);
  }

  /** Whether a request has met damage in the files of the index. Nothing mends them while they are open, so it stays true. */
  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /** Does the work of a request. The index stays open until it is done. */
  async use<T>(stop: Stop, work: () => Promise<T>): Promise<T> {
    if (this.#isDropped) throw unknownIndexError();
    this.#users.add(stop);
    try {
      return await work();
    } finally {
      this.#users.delete(stop);
      if (this.#users.size === 0) this.#unused?.();
    }
  }

  /** `use` for a request that only reads. It brings no file of its own, so damage that it meets is in the index. */
  async read<T>(stop: Stop, work: () => Promise<T>): Promise<T> {
    try {
      return await this.use(stop, work);
    } catch (error) {
      if (error instanceof SluiceError && error.code === "ERR_SLUICE_DAMAGED") this.#isDamaged = true;
      throw error;
    }
  }

  /** Stops all requests that use the index, waits for them, and closes it. */
  async close(): Promise<void> {
    this.#isDropped = true;
    for (const stop of this.#users) stop(unknownIndexError());
    if (this.#users.size > 0) {
      await new Promise<void>((resolve) => {
        this.#unused = resolve;
      });
    }
    await this.queue.finish();
    await this.index.close();
  }
}

export class ServedIndexes {
  readonly #byName = new Map<string, ServedIndex>();
  readonly #limits: Limits;
  readonly #folder: ServedFolder | undefined;

  constructor(indexes: Readonly<Record<string, Sluice>>, limits: Limits, folder?: ServedFolder) {
    this.#limits = limits;
    this.#folder = folder;
    for (const [name, index] of Object.entries(indexes)) {
      checkName(name);
      this.#add(name, index);
    }
    for (const [name, index] of folder?.indexes ?? []) {
      if (this.#byName.has(name)) throw new SluiceError(`two indexes are named ${name}`);
      this.#add(name, index);
    }
    if (this.#byName.size === 0 && !folder) throw new SluiceError("a server needs an index, or a folder");
  }

  [Symbol.iterator](): IterableIterator<ServedIndex> {
    return this.#byName.values();
  }

  /** The names of indexes that are there and could not be opened. */
  get unavailable(): readonly string[] {
    return [...(this.#folder?.unavailable.keys() ?? [])];
  }

  /** Whether indexes can be created and dropped. */
  get canCreate(): boolean {
    return this.#folder?.writable === true;
  }

  get(name: string): ServedIndex {
    const served = this.#byName.get(name);
    if (served) return served;
    const reason = this.#folder?.unavailable.get(name);
    throw reason ?? unknownIndexError();
  }

  /** Like `get`, for a change: a read-only index is refused. */
  getWritable(name: string): ServedIndex {
    const served = this.get(name);
    if (served.index.writable) return served;
    throw readOnlyError();
  }

  /** Makes an empty index in the server's folder. It is there as a whole, or not at all. */
  async create(name: string, settings: OpenOptions): Promise<ServedIndex> {
    const folder = this.#writableFolder();
    // Some disks do not tell upper from lower case: there, both names would be one folder.
    const taken = [...this.#byName.keys(), ...folder.unavailable.keys()].map((other) => other.toLowerCase());
    if (taken.includes(name.toLowerCase())) throw nameTakenError();
    const count = this.#byName.size + folder.unavailable.size + folder.changing;
    if (count >= this.#limits.indexes)
      throw beyondLimitError("the number of indexes", this.#limits, "indexes", count + 1);
    return this.#add(name, await folder.create(name, settings));
  }

  /** Stops all who use the index, and removes it from the server's folder. */
  async drop(name: string): Promise<void> {
    const folder = this.#writableFolder();
    const served = this.#byName.get(name);
    if (!served && !folder.unavailable.has(name)) throw unknownIndexError();
    if (served && folder.indexes.get(name) !== served.index) {
      throw new HttpError(403, "fixed_index", "the index is not in the folder of this server", {
        hint: "only indexes of that folder can be dropped",
      });
    }
    await folder.remove(name, async () => {
      await served?.queue.takeLock();
      this.#byName.delete(name);
      await served?.close();
    });
  }

  #add(name: string, index: Sluice): ServedIndex {
    const served = new ServedIndex(name, index, this.#limits);
    this.#byName.set(name, served);
    return served;
  }

  #writableFolder(): ServedFolder {
    if (!this.#folder) {
      throw new HttpError(403, "no_folder", "this server has no folder to create indexes in", {
        hint: "its operator can start it with a folder of indexes",
      });
    }
    if (!this.#folder.writable) throw readOnlyError();
    return this.#folder;
  }
}

function unknownIndexError(): HttpError {
  return new HttpError(404, "no_index", "there is no index with this name", {
    hint: "GET /v1/indexes lists them",
  });
}

/** Refuses a name that would have to be escaped in a URL. */
export function checkName(name: string): void {
  if (!NAME_PATTERN.test(name)) throw misnamedError(name);
}

export function misnamedError(name: string): SluiceError {
  return new SluiceError(
    `${JSON.stringify(name)} cannot name an index`,
    "a name has 1 to 64 letters, digits, - and _, and starts with a letter or a digit",
  );
}
