// Weighted terms → row. In every slice the heaviest term wins its slot; the others of that slice are lost.

import { UsageError } from "../errors.ts";
import { FLOAT16_MAX, roundToFloat16 } from "../kernel/float16.ts";
import type { Row } from "../kernel/rows.ts";
import { DISCARDED, type Slicing } from "./slicing.ts";

/** A text as weighted terms, by vocabulary id. An id stands at most once. */
export interface TermWeights {
  readonly ids: ArrayLike<number>;
  readonly weights: ArrayLike<number>;
}

export interface Densified {
  readonly row: Row;
  /** Terms that found their slot taken. */
  readonly collisions: number;
  /** Terms whose id the slicing throws away. */
  readonly discarded: number;
  /** Terms whose weight is 0, or becomes 0 in float16: they leave the slot to others. */
  readonly weightless: number;
}

/** Densifies one text after another; the scratch space is kept between them. */
export class Densifier {
  readonly slicing: Slicing;
  /** By slice: 1 + position in `winners`, or 0 when no term came yet. */
  readonly #place: Uint32Array;

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
    const winners: Winner[] = [];
    let [collisions, discarded, weightless] = [0, 0, 0];
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
      const term = { slice, index: indices[id], value, claim: importance ? value * importance[id] : value };
      const place = this.#place[slice];
      if (place === 0) {
        this.#place[slice] = winners.push(term);
        continue;
      }
      collisions++;
      if (beats(term, winners[place - 1])) winners[place - 1] = term;
    }
    for (const { slice } of winners) this.#place[slice] = 0;
    return { row: packed(winners), collisions, discarded, weightless };
  }

  #checked(weight: number, id: number): number {
    const value = weight >= 0 ? roundToFloat16(weight) : Number.NaN;
    if (value <= FLOAT16_MAX) return value;
    this.#place.fill(0); // the text is given up half-way; the next one starts clean
    throw badWeight(weight, this.slicing.vocabulary.terms[id]);
  }
}

/** What is wrong with a weight that cannot be stored. */
export function badWeight(weight: number, term: string): UsageError {
  const what = `the weight of ${JSON.stringify(term)} is ${weight}`;
  if (Number.isFinite(weight) && weight > 0) {
    return new UsageError(`${what}; float16 ends at ${FLOAT16_MAX}`, "scale the weights down");
  }
  return new UsageError(`${what}, expected a finite number of at least 0`);
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
  const best = new Map<number, Winner>();
  for (let id = 0; id < weights.length; id++) {
    const [slice, index, weight] = [slicing.slices[id], slicing.indices[id], weights[id]];
    if (slice === DISCARDED) continue;
    const value = roundToFloat16(weight);
    if (!Number.isFinite(value)) throw badWeight(weight, slicing.vocabulary.terms[id]);
    const term = { slice, index, value, claim: weight };
    const held = best.get(slice);
    if (!held || weight > held.claim || (weight === held.claim && index < held.index)) best.set(slice, term);
  }
  return packed([...best.values()].filter(({ value }) => value !== 0));
}

interface Winner {
  readonly slice: number;
  readonly index: number;
  readonly value: number;
  readonly claim: number;
}

function beats(a: Winner, b: Winner): boolean {
  if (a.claim !== b.claim) return a.claim > b.claim;
  return a.value !== b.value ? a.value > b.value : a.index < b.index;
}

function packed(winners: readonly Winner[]): Row {
  // Numbers alone are sorted an order of magnitude faster than objects: the slice, then the place in the list.
  const order = Float64Array.from(winners, ({ slice }, place) => slice * PLACES + place).sort();
  const row = {
    slices: new Uint32Array(order.length),
    indices: new Uint16Array(order.length),
    values: new Float32Array(order.length),
  };
  for (let i = 0; i < order.length; i++) {
    const { slice, index, value } = winners[order[i] % PLACES];
    row.slices[i] = slice;
    row.indices[i] = index;
    row.values[i] = value;
  }
  return row;
}

/** More than a row can have slots: at most one for every slice. */
const PLACES = 2 ** 21;
