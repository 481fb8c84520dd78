// The indexes of a server, by the names under which they are reached.

import { type Sluice, UsageError } from "../index.ts";
import { HttpError, readOnly } from "./http-errors.ts";
import { NAME_PATTERN } from "./schemas.ts";
import { Writes } from "./writes.ts";

/** An index of a server. */
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

  named(name: string): Served {
    const served = this.#byName.get(name);
    if (served) return served;
    throw new HttpError(404, "no_index", "there is no index of this name", {
      hint: "GET /v1/indexes lists them",
    });
  }

  /** The same, to be changed. */
  writable(name: string): Served {
    const served = this.named(name);
    if (served.index.writable) return served;
    throw readOnly();
  }
}

/** Refuses a name that would not stand in an address as it is. */
export function checkName(name: string): void {
  if (NAME_PATTERN.test(name)) return;
  throw new UsageError(
    `${JSON.stringify(name)} cannot name an index: letters, digits, - and _, at most 64`,
    "give it another name: NAME=DIR",
  );
}
