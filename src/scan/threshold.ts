// The k-th best of the scores seen so far: what another document must reach to matter.

import { kthLargest } from "../support/kth.ts";

/** Up to so many a selection is cheap enough to be made whenever the floor is asked for. */
const SMALL = 128;

/** Numbers there is room for beside the k, at least. */
const MORE = 64;

/**
 * Keeps the k largest numbers, and some more: they are sorted out when room runs out, so that a number costs a few
 * nanoseconds however large k is. The floor may therefore lag behind; it is never too high.
 */
export class Threshold {
  readonly k: number;
  readonly #numbers: Float64Array;
  #size = 0;
  #floor = Number.NEGATIVE_INFINITY;

  constructor(k: number) {
    this.k = k;
    this.#numbers = new Float64Array(k + Math.max(MORE, k >> 1));
  }

  /** Whether k numbers came. */
  get full(): boolean {
    return this.#size >= this.k;
  }

  /** What k documents are known to reach: −∞ at first. */
  get floor(): number {
    if (this.#size > this.k && (this.k <= SMALL || this.#size > this.k + (this.k >> 3))) this.#select();
    else if (this.#size === this.k && this.k > 0) this.#select();
    return this.#floor;
  }

  /** Something else showed that k documents reach this. */
  raise(floor: number): void {
    if (floor > this.#floor) this.#floor = floor;
  }

  push(score: number): void {
    if (this.k === 0 || (score <= this.#floor && this.#size >= this.k)) return;
    this.#numbers[this.#size++] = score;
    if (this.#size === this.#numbers.length) this.#select();
  }

  #select(): void {
    this.raise(kthLargest(this.#numbers, this.#size, this.k));
    this.#size = this.k;
  }
}
