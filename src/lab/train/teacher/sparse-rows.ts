// Stores weighted terms of many texts, and computes the inner products of some texts with some others.

import { ensureCapacity } from "../../../support/numbers/ensure-capacity.ts";

export class SparseRows {
  #ids: Uint32Array = new Uint32Array(1 << 16);
  #weights: Float32Array = new Float32Array(1 << 16);
  readonly #ends: number[] = [];

  add(ids: ArrayLike<number>, weights: ArrayLike<number>): void {
    const start = this.#ends.at(-1) ?? 0;
    const end = start + ids.length;
    this.#ids = ensureCapacity(this.#ids, end);
    this.#weights = ensureCapacity(this.#weights, end);
    this.#ids.set(ids, start);
    this.#weights.set(weights, start);
    this.#ends.push(end);
  }

  *at(row: number): Generator<readonly [id: number, weight: number]> {
    for (let i = row === 0 ? 0 : this.#ends[row - 1]; i < this.#ends[row]; i++)
      yield [this.#ids[i], this.#weights[i]];
  }
}

/** Adds the inner products of query rows and passage rows to `into` (queries × passages). */
export function addProducts(
  queries: SparseRows,
  queryRows: readonly number[],
  passages: SparseRows,
  passageRows: readonly number[],
  into: Float32Array,
): void {
  /** Term → the queries that have it, with their weights. */
  const asked = new Map<number, [at: number, weight: number][]>();
  queryRows.forEach((row, at) => {
    for (const [id, weight] of queries.at(row)) {
      const list = asked.get(id);
      if (list) list.push([at, weight]);
      else asked.set(id, [[at, weight]]);
    }
  });
  passageRows.forEach((row, column) => {
    for (const [id, weight] of passages.at(row)) {
      for (const [at, asking] of asked.get(id) ?? [])
        into[at * passageRows.length + column] += asking * weight;
    }
  });
}
