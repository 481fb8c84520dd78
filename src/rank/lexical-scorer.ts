// A query and the row of a document → the lexical part of its score: the same sums in the same order as definition.ts. The
// query is laid out over all slices, in arrays that are reused. With a slice for every term, allocating them would take
// longer than scoring the few documents.

import type { QueryRow, Rows } from "../densify/rows.ts";
import { FLOAT16 } from "../support/numbers/float16.ts";

/** Rows, as far as their lexical parts need them. */
type ScoredRows = Pick<Rows, "starts" | "slices" | "indices" | "values">;

interface ReusedSlots {
  /** The query's value in each slice; 0 if it has none. */
  readonly values: Float32Array;
  readonly indices: Uint16Array;
  /** 0 at slice % MARKS: the query does not have the slice. 1: it may have it. */
  readonly marks: Uint8Array;
}

/**
 * The number of marks. Most terms of a document are not in the query. With a slice for every term the slots do not fit the
 * first-level cache, so looking up each of them would be slow. The marks fit, and rule out nearly all of them. More marks:
 * fewer false look-ups, but they may not fit the cache.
 */
const MARKS = 4096;

/** Slots that can be reused, by their capacity. */
const freeSlots = new Map<number, ReusedSlots[]>();

/**
 * How many slices slots have room for: the next power of two. A vocabulary grows with most commits. Slots of exactly its
 * size would fit one commit only: they would stay in memory and never be used again.
 */
export const slotCapacity = (dims: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, dims)));

/** Computes the lexical parts of exact scores for one query. */
export class LexicalScorer {
  readonly query: QueryRow;
  /** False: the inner product. */
  readonly isGated: boolean;
  readonly #capacity: number;
  #slots: ReusedSlots | undefined;

  /** Call `release` when you have all scores, so that the slots can be reused. */
  constructor(query: QueryRow, dims: number, isGated = true) {
    this.query = query;
    this.isGated = isGated;
    this.#capacity = slotCapacity(dims);
  }

  /** The lexical part of a document's score, from its row. */
  scoreRow({ starts, slices, indices, values }: ScoredRows, doc: number): number {
    this.#slots ??= this.#take();
    const { values: weights, indices: queryIndices, marks } = this.#slots;
    const end = starts[doc + 1];
    let sum = 0;
    for (let i = starts[doc]; i < end; i++) {
      const slice = slices[i];
      if (marks[slice % MARKS] === 0) continue;
      const weight = weights[slice];
      if (weight === 0 || (this.isGated && queryIndices[slice] !== indices[i])) continue;
      sum += weight * FLOAT16[values[i]];
    }
    return sum;
  }

  release(): void {
    const slots = this.#slots;
    if (!slots) return;
    this.#slots = undefined;
    for (const slice of this.query.slices) slots.values[slice] = 0;
    slots.marks.fill(0);
    const others = freeSlots.get(this.#capacity);
    if (others) others.push(slots);
    else freeSlots.set(this.#capacity, [slots]);
  }

  #take(): ReusedSlots {
    const slots = freeSlots.get(this.#capacity)?.pop() ?? {
      values: new Float32Array(this.#capacity),
      indices: new Uint16Array(this.#capacity),
      marks: new Uint8Array(MARKS),
    };
    const { slices, indices, values } = this.query;
    for (let i = 0; i < slices.length; i++) {
      slots.values[slices[i]] = values[i];
      slots.indices[slices[i]] = indices[i];
      slots.marks[slices[i] % MARKS] = 1;
    }
    return slots;
  }
}
