// Chooses the positive and the negatives of an example in an epoch. The choice depends only on the seed, so a run can be
// repeated. The positives take turns. Every example has its own shuffled order of negatives; each epoch takes the next.

import { mulberry32, shuffle } from "../../../support/numbers/random.ts";
import type { Margin } from "./training-lines.ts";

/** Hashes numbers into a seed (the finalizer of MurmurHash3), so that neighboring numbers give unrelated seeds. */
export function seedFrom(...numbers: readonly number[]): number {
  let h = 0x9e3779b9;
  for (const number of numbers) {
    h = Math.imul(h ^ (number | 0), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    h ^= h >>> 16;
  }
  return h >>> 0;
}

/** The example and the epoch that a choice is made for. */
export interface Turn {
  readonly example: number;
  readonly epoch: number;
  readonly seed: number;
}

/** Returns which of `count` positives to use. */
export function positiveOf(count: number, { example, epoch, seed }: Turn): number {
  return (example + seed + epoch) % count;
}

/**
 * Orders `count` negatives. The first `wanted` are the choice; the others replace negatives that cannot be used in a
 * batch.
 */
export function negativesInOrder(count: number, wanted: number, { example, epoch, seed }: Turn): Uint32Array {
  const order = shuffle(count, seedFrom(example + seed));
  const first = (epoch * wanted) % count;
  return Uint32Array.from(order, (_, i) => order[(first + i) % count]);
}

/** Draws `wanted` of fewer negatives, so some are drawn more than once. */
export function negativesWithReplacement(count: number, wanted: number, turn: Turn): Uint32Array {
  const random = mulberry32(seedFrom(turn.example + turn.seed, turn.epoch));
  return Uint32Array.from({ length: wanted }, () => Math.floor(random() * count));
}

/**
 * Chooses from pairs that are binned by their margin. It draws an element, then for each negative a bin and a pair of that
 * bin, so small and large margins are equally frequent. The positive of the first pair is used for all.
 */
export function fromBins(
  bins: readonly (readonly (readonly Margin[])[])[],
  wanted: number,
  turn: Turn,
): { readonly positive: number; readonly negatives: readonly number[]; readonly margins: readonly number[] } {
  const random = mulberry32(seedFrom(turn.example + turn.seed, turn.epoch));
  const one = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)];
  const element = one(bins);
  const pairs = Array.from({ length: Math.max(1, wanted) }, () => one(one(element)));
  return {
    positive: pairs[0][0],
    negatives: pairs.slice(0, wanted).map(([, negative]) => negative),
    margins: pairs.slice(0, wanted).map(([, , margin]) => margin),
  };
}
