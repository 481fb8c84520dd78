// The weighted terms of a text → its row. In every slice the heaviest term gets the slot; the other terms of that slice are
// dropped.

import { SluiceError } from "../support/errors/sluice-error.ts";
import { FLOAT16_MAX, roundToFloat16 } from "../support/numbers/float16.ts";
import { type TermWeights, wrongWeightError } from "../weigh/term-weights.ts";
import type { Row } from "./rows.ts";
import { DISCARDED, type Slicing } from "./slicing.ts";

export interface Densified {
  readonly row: Row;
  /** Terms that had to share a slice with another one; the heavier was kept. */
  readonly collisions: number;
  /** Terms whose id the slicing discards. */
  readonly discarded: number;
  /** Terms whose weight is 0, or becomes 0 in float16. They never get a slot. */
  readonly weightless: number;
}

/** Densifies one text after another. It reuses its scratch space, and makes no object for a term. */
export class Densifier {
  readonly slicing: Slicing;
  /** For each slice: 1 + the number of its winner (`Winners`), or 0 if it has no term yet. */
  readonly #winnerOf: Uint32Array;
  #won = new Winners(256);

  constructor(slicing: Slicing) {
    this.slicing = slicing;
    this.#winnerOf = new Uint32Array(slicing.settings.dims);
  }

  /**
   * The row of a text. Of the terms in a slice, the larger float16 value wins, then the lower index; the order of the terms
   * does not matter. With `importance` (by id; BM25's idf) value × importance is compared first; the row stores the value.
   */
  densify({ ids, weights }: TermWeights, importance?: ArrayLike<number>): Densified {
    const { slices, indices } = this.slicing;
    if (this.#won.capacity < ids.length) this.#won = new Winners(2 * ids.length);
    const won = this.#won;
    let [count, collisions, discarded, weightless] = [0, 0, 0, 0];
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i];
      const slice = slices[id];
      const value = this.#checked(weights[i], id);
      if (slice === DISCARDED) {
        discarded++;
        continue;
      }
      if (value === 0) {
        weightless++;
        continue;
      }
      const claim = importance ? value * importance[id] : value;
      const winner = this.#winnerOf[slice];
      if (winner === 0) {
        won.put(count++, slice, indices[id], value, claim);
        this.#winnerOf[slice] = count;
        continue;
      }
      collisions++;
      if (won.isBeatenAt(winner - 1, indices[id], value, claim))
        won.put(winner - 1, slice, indices[id], value, claim);
    }
    for (let i = 0; i < count; i++) this.#winnerOf[won.slices[i]] = 0;
    return { row: won.packed(count), collisions, discarded, weightless };
  }

  #checked(weight: number, id: number): number {
    const value = weight >= 0 ? roundToFloat16(weight) : Number.NaN;
    if (value <= FLOAT16_MAX) return value;
    this.#winnerOf.fill(0); // this text fails half-way; the next one must start clean
    throw wrongWeightError(weight, this.slicing.vocabulary.term(id));
  }
}

/**
 * The row of a model's whole output: one number per vocabulary id, negative ones included. In every slice the largest number
 * wins, then the lower index, compared before rounding (specification.md, 1.4). Padding is not an id, so it does not take part.
 */
export function densifyDense(slicing: Slicing, weights: ArrayLike<number>): Row {
  if (weights.length !== slicing.vocabulary.size) {
    throw new SluiceError(
      `the vector has ${weights.length} entries, the vocabulary ${slicing.vocabulary.size}`,
    );
  }
  const winnerOf = new Uint32Array(slicing.settings.dims);
  const won = new Winners(Math.min(weights.length, slicing.settings.dims));
  let count = 0;
  for (let id = 0; id < weights.length; id++) {
    const [slice, index, weight] = [slicing.slices[id], slicing.indices[id], weights[id]];
    if (slice === DISCARDED) continue;
    const value = roundToFloat16(weight);
    if (!Number.isFinite(value)) throw wrongWeightError(weight, slicing.vocabulary.term(id));
    if (winnerOf[slice] === 0) {
      won.put(count++, slice, index, value, weight);
      winnerOf[slice] = count;
      continue;
    }
    const held = winnerOf[slice] - 1;
    const isFirst = weight === won.claims[held] && index < won.indices[held];
    if (weight > won.claims[held] || isFirst) won.put(held, slice, index, value, weight);
  }
  return won.packed(count);
}

/** The terms that hold a slot, in the order in which their slices first got a term. */
class Winners {
  /** How many terms fit. */
  readonly capacity: number;
  readonly slices: Uint32Array;
  readonly indices: Uint16Array;
  readonly values: Float32Array;
  readonly claims: Float64Array;
  readonly #order: Float64Array;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.slices = new Uint32Array(capacity);
    this.indices = new Uint16Array(capacity);
    this.values = new Float32Array(capacity);
    this.claims = new Float64Array(capacity);
    this.#order = new Float64Array(capacity);
  }

  put(winner: number, slice: number, index: number, value: number, claim: number): void {
    this.slices[winner] = slice;
    this.indices[winner] = index;
    this.values[winner] = value;
    this.claims[winner] = claim;
  }

  /** Whether a term beats a winner. */
  isBeatenAt(winner: number, index: number, value: number, claim: number): boolean {
    if (claim !== this.claims[winner]) return claim > this.claims[winner];
    return value !== this.values[winner] ? value > this.values[winner] : index < this.indices[winner];
  }

  /** The first `count` winners as a row, without those of value 0. */
  packed(count: number): Row {
    // Slice and winner are sorted as one number: an order of magnitude faster than sorting objects.
    let kept = 0;
    for (let winner = 0; winner < count; winner++) {
      if (this.values[winner] !== 0) this.#order[kept++] = this.slices[winner] * MOST_WINNERS + winner;
    }
    const order = this.#order.subarray(0, kept).sort();
    const row = {
      slices: new Uint32Array(kept),
      indices: new Uint16Array(kept),
      values: new Float32Array(kept),
    };
    for (let i = 0; i < kept; i++) {
      const winner = order[i] % MOST_WINNERS;
      row.slices[i] = this.slices[winner];
      row.indices[i] = this.indices[winner];
      row.values[i] = this.values[winner];
    }
    return row;
  }
}

/** More than the slots of any row, which has at most one for every slice. */
const MOST_WINNERS = 2 ** 21;
