// Stores lists of token ids compactly: two bytes per token if the vocabulary has at most 65,536 entries. Equal lists are
// stored once, so equal texts have equal numbers.

import { viewBytes } from "../../../segment/container/container-format.ts";
import { hashBytes } from "../../../support/bytes/hash.ts";
import { ensureCapacity } from "../../../support/numbers/ensure-capacity.ts";
import type { TokenRows } from "./batch.ts";

export class TokenLists {
  #ids: Uint16Array | Int32Array;
  #used = 0;
  /** Where each list ends. */
  #ends: Float64Array = new Float64Array(1024);
  #size = 0;
  /** Hash → the lists that have it. */
  readonly #known = new Map<number, number | number[]>();

  /** `vocabularySize` is the number of ids: all ids are below it. */
  constructor(vocabularySize: number) {
    this.#ids = vocabularySize <= 2 ** 16 ? new Uint16Array(1 << 16) : new Int32Array(1 << 16);
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes of all ids. */
  get bytes(): number {
    return this.#used * this.#ids.BYTES_PER_ELEMENT;
  }

  at(number: number): Uint16Array | Int32Array {
    return this.#ids.subarray(this.#startOf(number), this.#ends[number]);
  }

  lengthOf(number: number): number {
    return this.#ends[number] - this.#startOf(number);
  }

  /** Stores a list and returns its number. An equal list that is already stored keeps its number. */
  add(ids: readonly number[]): number {
    const end = this.#used + ids.length;
    this.#ids = ensureCapacity(this.#ids, end);
    this.#ends = ensureCapacity(this.#ends, this.#size + 1);
    this.#ids.set(ids, this.#used);
    const added = this.#ids.subarray(this.#used, end);
    const hash = hashBytes(viewBytes(added));
    const known = this.#known.get(hash);
    const candidates = known === undefined ? [] : typeof known === "number" ? [known] : known;
    const same = candidates.find((number) => isEqual(this.at(number), added));
    if (same !== undefined) return same;
    const number = this.#size++;
    this.#ends[number] = end;
    this.#used = end;
    this.#known.set(hash, known === undefined ? number : [...candidates, number]);
    return number;
  }

  /** The bytes of all lists and of their ends, for a fingerprint. */
  *content(): Generator<Uint8Array> {
    yield viewBytes(this.#ids.subarray(0, this.#used));
    yield viewBytes(this.#ends.subarray(0, this.#size));
  }

  /** Returns some lists as padded rows of one width. */
  rows(numbers: ArrayLike<number>): TokenRows {
    const lengths = Int32Array.from(numbers, (number) => this.lengthOf(number));
    const width = lengths.reduce((a, b) => Math.max(a, b), 0);
    const ids = new Int32Array(lengths.length * width);
    for (let row = 0; row < lengths.length; row++) ids.set(this.at(numbers[row]), row * width);
    return { rows: lengths.length, width, ids, lengths };
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : this.#ends[number - 1];
  }
}

function isEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
