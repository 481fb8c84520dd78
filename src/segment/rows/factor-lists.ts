// The factors that multiply BM25's weights of a segment's documents: float16 bits, one document after another, each in the
// order in which its known terms first occur in its text. Rows do not have them apart from the weights, and lack the terms that
// found their slots taken. So they are kept here, for rows that are weighted again, and for explanations.

import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";
import { toFloat16, toFloat32s } from "../../support/numbers/float16.ts";

/** Local → factors. A document without any has an empty list: all its factors are 1. */
export class FactorLists {
  readonly starts: Uint32Array;
  /** float16 bits. */
  readonly values: Uint16Array;

  constructor(starts: Uint32Array, values: Uint16Array) {
    this.starts = starts;
    this.values = values;
  }

  /** The factors of a document's known terms; undefined if all are 1. */
  at(local: number): Float32Array | undefined {
    const bits = this.values.subarray(this.starts[local], this.starts[local + 1]);
    return bits.length > 0 ? toFloat32s(bits) : undefined;
  }
}

/** Collects the factors of documents one at a time. */
export class FactorListsBuilder {
  #docs = 0;
  #starts: Uint32Array = new Uint32Array(1024);
  #values: Uint16Array = new Uint16Array(8192);

  add(factors: ArrayLike<number> = []): void {
    const start = this.#starts[this.#docs];
    const end = start + factors.length;
    this.#values = ensureCapacity(this.#values, end);
    for (let i = 0; i < factors.length; i++) this.#values[start + i] = toFloat16(factors[i]);
    this.#docs++;
    this.#starts = ensureCapacity(this.#starts, this.#docs + 1);
    this.#starts[this.#docs] = end;
  }

  /** Returns undefined if no document has factors. */
  finish(): FactorLists | undefined {
    const end = this.#starts[this.#docs];
    if (end === 0) return undefined;
    return new FactorLists(this.#starts.slice(0, this.#docs + 1), this.#values.slice(0, end));
  }
}
