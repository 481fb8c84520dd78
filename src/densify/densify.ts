// Weighted terms → row. In every slice the heaviest term wins its slot; the others of that slice are lost.

import { UsageError } from "../errors.ts";
import { FLOAT16_MAX, roundToFloat16 } from "../support/float16.ts";
import { badWeight, type TermWeights } from "../weigh/term-weights.ts";
import type { Row } from "./rows.ts";
import { DISCARDED, type Slicing } from "./slicing.ts";

export interface Densified {
  readonly row: Row;
  /** Terms that found their slot taken. */
  readonly collisions: number;
  /** Terms whose id the slicing throws away. */
  readonly discarded: number;
  /** Terms whose weight is 0, or becomes 0 in float16: they leave the slot to others. */
  readonly weightless: number;
}

/** Densifies one text after another; the scratch space is kept between them, and there is no object for a term. */
export class Densifier {
  readonly slicing: Slicing;
  /** By slice: 1 + position among the winners, or 0 when no term came yet. */
  readonly #place: Uint32Array;
  #won = new Winners(256);

  constructor(slicing: Slicing) {
    this.slicing = slicing;
    this.#place = new Uint32Array(slicing.settings.dims);
  }

  /**
   * The competition is decided on float16 values: the larger wins, then the lower index, whatever the order of the
   * terms. With `importance` (by id; BM25's idf) it is decided on value × importance first, and the value is kept.
   */
  densify({ ids, weights }: TermWeights, importance?: ArrayLike<number>): Densified {
    const { slices, indices } = this.slicing;
    if (this.#won.room < ids.length) this.#won = new Winners(2 * ids.length);
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
      const place = this.#place[slice];
      if (place === 0) {
        won.put(count++, slice, indices[id], value, claim);
        this.#place[slice] = count;
        continue;
      }
      collisions++;
      if (won.loses(place - 1, indices[id], value, claim))
        won.put(place - 1, slice, indices[id], value, claim);
    }
    for (let i = 0; i < count; i++) this.#place[won.slices[i]] = 0;
    return { row: won.packed(count), collisions, discarded, weightless };
  }

  #checked(weight: number, id: number): number {
    const value = weight >= 0 ? roundToFloat16(weight) : Number.NaN;
    if (value <= FLOAT16_MAX) return value;
    this.#place.fill(0); // the text is given up half-way; the next one starts clean
    throw badWeight(weight, this.slicing.vocabulary.term(id));
  }
}

/**
 * A model's whole output, one number per vocabulary id, negatives included: in every slice the largest number and
 * the first place it stands at, compared before rounding (SPEC 1.4). Padding, which is no id, does not compete.
 */
export function densifyDense(slicing: Slicing, weights: ArrayLike<number>): Row {
  if (weights.length !== slicing.vocabulary.size) {
    throw new UsageError(
      `the vector has ${weights.length} entries, the vocabulary ${slicing.vocabulary.size}`,
    );
  }
  const place = new Uint32Array(slicing.settings.dims);
  const won = new Winners(Math.min(weights.length, slicing.settings.dims));
  let count = 0;
  for (let id = 0; id < weights.length; id++) {
    const [slice, index, weight] = [slicing.slices[id], slicing.indices[id], weights[id]];
    if (slice === DISCARDED) continue;
    const value = roundToFloat16(weight);
    if (!Number.isFinite(value)) throw badWeight(weight, slicing.vocabulary.term(id));
    if (place[slice] === 0) {
      won.put(count++, slice, index, value, weight);
      place[slice] = count;
      continue;
    }
    const held = place[slice] - 1;
    const isFirst = weight === won.claims[held] && index < won.indices[held];
    if (weight > won.claims[held] || isFirst) won.put(held, slice, index, value, weight);
  }
  return won.packed(count);
}

/** The terms that hold a slot, in the order their slots were taken first. */
class Winners {
  readonly room: number;
  readonly slices: Uint32Array;
  readonly indices: Uint16Array;
  readonly values: Float32Array;
  readonly claims: Float64Array;
  readonly #order: Float64Array;

  constructor(room: number) {
    this.room = room;
    this.slices = new Uint32Array(room);
    this.indices = new Uint16Array(room);
    this.values = new Float32Array(room);
    this.claims = new Float64Array(room);
    this.#order = new Float64Array(room);
  }

  put(place: number, slice: number, index: number, value: number, claim: number): void {
    this.slices[place] = slice;
    this.indices[place] = index;
    this.values[place] = value;
    this.claims[place] = claim;
  }

  /** Whether a term beats the one that holds a slot. */
  loses(place: number, index: number, value: number, claim: number): boolean {
    if (claim !== this.claims[place]) return claim > this.claims[place];
    return value !== this.values[place] ? value > this.values[place] : index < this.indices[place];
  }

  /** The first `count` as a row, without those of value 0. */
  packed(count: number): Row {
    // Numbers alone are sorted an order of magnitude faster than objects: the slice, then the place.
    let kept = 0;
    for (let place = 0; place < count; place++) {
      if (this.values[place] !== 0) this.#order[kept++] = this.slices[place] * PLACES + place;
    }
    const order = this.#order.subarray(0, kept).sort();
    const row = {
      slices: new Uint32Array(kept),
      indices: new Uint16Array(kept),
      values: new Float32Array(kept),
    };
    for (let i = 0; i < kept; i++) {
      const place = order[i] % PLACES;
      row.slices[i] = this.slices[place];
      row.indices[i] = this.indices[place];
      row.values[i] = this.values[place];
    }
    return row;
  }
}

/** More than a row can have slots: at most one for every slice. */
const PLACES = 2 ** 21;
