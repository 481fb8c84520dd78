// Keeps the counted terms of many texts, packed, between reading a corpus and densifying it. They must wait, because the
// statistics, the vocabulary and a spread slicing are known only when all texts are read.

import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";
import type { TermCounts } from "../../weigh/term-weights.ts";

export class TermMatrix {
  #docs = 0;
  #starts: Uint32Array = new Uint32Array(1024);
  #ids: Uint32Array = new Uint32Array(65_536);
  #counts: Float64Array = new Float64Array(65_536); // float64: given weights are rounded only once, when they are densified
  /** By the text's offset, if a text has factors. They are float16 numbers. */
  #factors: Float32Array | undefined;

  add(ids: ArrayLike<number>, counts: ArrayLike<number>, factors?: ArrayLike<number>): void {
    const start = this.#starts[this.#docs];
    const end = start + ids.length;
    this.#ids = ensureCapacity(this.#ids, end);
    this.#counts = ensureCapacity(this.#counts, end);
    this.#ids.set(ids, start);
    this.#counts.set(counts, start);
    if (factors || this.#factors) this.#addFactors(factors, start, end);
    this.#docs++;
    this.#starts = ensureCapacity(this.#starts, this.#docs + 1);
    this.#starts[this.#docs] = end;
  }

  /** A view of one text; valid until the next `add`. */
  at(doc: number): TermCounts {
    const [start, end] = [this.#starts[doc], this.#starts[doc + 1]];
    const factors = this.#factors?.subarray(start, end);
    const terms = { ids: this.#ids.subarray(start, end), counts: this.#counts.subarray(start, end) };
    return factors ? { ...terms, factors } : terms;
  }

  #addFactors(factors: ArrayLike<number> | undefined, start: number, end: number): void {
    this.#factors ??= new Float32Array(this.#ids.length).fill(1, 0, start);
    this.#factors = ensureCapacity(this.#factors, end);
    if (factors) this.#factors.set(factors, start);
    else this.#factors.fill(1, start, end);
  }

  /** Replaces every id by `renumbered[id]`. */
  renumber(renumbered: Uint32Array): void {
    const end = this.#starts[this.#docs];
    for (let i = 0; i < end; i++) this.#ids[i] = renumbered[this.#ids[i]];
  }
}
