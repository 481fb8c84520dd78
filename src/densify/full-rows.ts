// Weighted terms → rows, if every term has a slice for itself: the slicing `full`. Nothing competes for a slot, so a row has all
// terms whose value is not 0. densify.ts is the definition; this makes no object for a row.

import type { TermCounts } from "../weigh/term-weights.ts";
import type { Rows } from "./rows.ts";

/** The bits of the largest float16. Those of infinity, NaN and negative numbers are higher. */
const MOST_BITS = 0x7bff;
/** The bits of −0, which is no weight either. */
const MINUS_ZERO = 0x8000;

/** Writes the values of a document's terms as float16 bits, from `at` on. */
type WriteValues = (terms: TermCounts, length: number, values: Uint16Array, at: number) => void;

export class FullRowsBuilder {
  readonly #dims: number;
  #docs = 0;
  #slots = 0;
  readonly #starts: Uint32Array;
  readonly #slices: Uint16Array | Uint32Array;
  readonly #values: Uint16Array;
  readonly #write: WriteValues;

  /** `docs` and `terms`: how many come at most. */
  constructor(dims: number, docs: number, terms: number, write: WriteValues) {
    this.#dims = dims;
    this.#write = write;
    this.#starts = new Uint32Array(docs + 1);
    this.#slices = dims <= 65_536 ? new Uint16Array(terms) : new Uint32Array(terms);
    this.#values = new Uint16Array(terms);
  }

  /** Adds the row of a document. Returns how many of its terms have no weight, or undefined, and adds nothing, if one is wrong. */
  add(terms: TermCounts, length: number): number | undefined {
    const { ids } = terms;
    const [start, slices, values] = [this.#slots, this.#slices, this.#values];
    this.#write(terms, length, values, start);
    let to = start;
    for (let i = 0; i < ids.length; i++) {
      const value = values[start + i];
      if (value === 0 || value === MINUS_ZERO) continue;
      if (value > MOST_BITS) return undefined;
      slices[to] = ids[i];
      values[to++] = value;
    }
    this.#slots = to;
    this.#starts[++this.#docs] = to;
    return start + ids.length - to;
  }

  /** The rows. The slots of a row are in the order of its terms: `sortSlots` puts them into order. */
  finish(): Rows {
    const [docs, slots] = [this.#docs, this.#slots];
    return {
      docs,
      dims: this.#dims,
      starts: this.#starts.subarray(0, docs + 1),
      slices: this.#slices.subarray(0, slots),
      indices: new Uint8Array(slots),
      values: this.#values.subarray(0, slots),
      semanticDims: 0,
      semantic: new Uint16Array(0),
    };
  }
}
