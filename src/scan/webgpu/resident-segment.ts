// The rows of one segment on a GPU. The filter is part of their state there, so searches run one after another.

import type { Bits } from "../../support/numbers/bits.ts";
import type { DeviceAnswer, DevicePlan, DeviceQuery } from "./device-plan.ts";
import type { DeviceSearch } from "./device-search.ts";

export class ResidentSegment {
  readonly #search: DeviceSearch;
  #allowed: Uint32Array | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(search: DeviceSearch) {
    this.#search = search;
  }

  /** The k best documents of each query. `skipsZeros`: without those that score 0. */
  ask(
    queries: readonly DeviceQuery[],
    k: number,
    plan: DevicePlan,
    allowed: Bits | undefined,
    skipsZeros: boolean,
  ): Promise<DeviceAnswer[]> {
    const run = this.#turn.then(() => {
      if (!isSame(this.#allowed, allowed?.words)) this.#search.rows.allow(allowed?.words);
      this.#allowed = allowed?.words;
      return this.#search.searchAll(queries, k, plan, { skipsZeros });
    });
    this.#turn = run.catch(() => {});
    return run;
  }
}

function isSame(a: Uint32Array | undefined, b: Uint32Array | undefined): boolean {
  return a === b || (!!a && !!b && a.length === b.length && a.every((word, i) => word === b[i]));
}
