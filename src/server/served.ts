// The indexes of a server, found by the name that stands in the URL.

import { type Sluice, UsageError } from "../index.ts";
import { NAME_PATTERN } from "../schemas/index-schema.ts";
import { HttpError, readOnly } from "./http-errors.ts";
import { Writes } from "./writes.ts";

/** One index with its name and its queue of changes. */
export interface Served {
  readonly name: string;
  readonly index: Sluice;
  readonly writes: Writes;
}

export class ServedIndexes {
  readonly #byName = new Map<string, Served>();

  constructor(indexes: Readonly<Record<string, Sluice>>, transactionMs: number) {
    for (const [name, index] of Object.entries(indexes)) {
      checkName(name);
      this.#byName.set(name, { name, index, writes: new Writes(index, transactionMs) });
    }
    if (this.#byName.size === 0) throw new UsageError("a server needs an index");
  }

  [Symbol.iterator](): IterableIterator<Served> {
    return this.#byName.values();
  }

  get(name: string): Served {
    const served = this.#byName.get(name);
    if (served) return served;
    throw new HttpError(404, "no_index", "there is no index with this name", {
      hint: "GET /v1/indexes lists them",
    });
  }

  /** Like `get`, for a change: a read-only index is refused. */
  getWritable(name: string): Served {
    const served = this.get(name);
    if (served.index.writable) return served;
    throw readOnly();
  }
}

/** Refuses a name that would have to be escaped in a URL. */
export function checkName(name: string): void {
  if (NAME_PATTERN.test(name)) return;
  throw new UsageError(
    `${JSON.stringify(name)} cannot name an index`,
    "a name has 1 to 64 letters, digits, - and _, and starts with a letter or a digit",
  );
}
