// One example, one epoch → the positive and the negatives it is trained with (SPEC 4.3), the same ones every time: the
// positives take turns, the negatives lie in an order of the example's own and are dealt out round by round.

import { mulberry32, shuffled } from "../../../support/random.ts";
import type { Margin } from "./training-lines.ts";

/** A seed from numbers, so that neighbouring ones have nothing in common (the finaliser of MurmurHash3). */
export function seedFrom(...numbers: readonly number[]): number {
  let h = 0x9e3779b9;
  for (const number of numbers) {
    h = Math.imul(h ^ (number | 0), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    h ^= h >>> 16;
  }
  return h >>> 0;
}

/** Whose turn it is. */
export interface Turn {
  readonly example: number;
  readonly epoch: number;
  readonly seed: number;
}

/** Which of `count` positives. */
export function positiveOf(count: number, { example, epoch, seed }: Turn): number {
  return (example + seed + epoch) % count;
}

/**
 * All of `count` negatives, in the order in which they would be taken; the first `wanted` are the choice. The ones behind
 * them are for whoever cannot take one of those.
 */
export function negativesInOrder(count: number, wanted: number, { example, epoch, seed }: Turn): Uint32Array {
  const order = shuffled(count, seedFrom(example + seed));
  const first = (epoch * wanted) % count;
  return Uint32Array.from(order, (_, i) => order[(first + i) % count]);
}

/** `wanted` of fewer than that: some come twice. */
export function negativesWithReplacement(count: number, wanted: number, turn: Turn): Uint32Array {
  const random = mulberry32(seedFrom(turn.example + turn.seed, turn.epoch));
  return Uint32Array.from({ length: wanted }, () => Math.floor(random() * count));
}

/**
 * From pairs in bins by their margin: an element is drawn, then for each negative a bin and a pair of it, so that small and
 * large margins come equally often. The positive of the first pair counts for all.
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
