// The scores found so far → the threshold: the k-th best of them, which another document must reach to matter.

import { kthLargest } from "../../support/numbers/kth.ts";

/** The largest k for which every read of the threshold selects the k-th best again. Above it, that costs too much. */
const SELECT_ALWAYS = 128;

/** Room for more numbers than k, at least. More room means fewer selections and more memory. */
const SPARE = 64;

/** What a scan of one window asks and tells. */
export interface WindowThreshold {
  readonly k: number;
  /** Whether at least k scores were pushed. */
  readonly isFull: boolean;
  /** A score that k documents are known to reach: −∞ at first. */
  readonly value: number;
  /** For when something else shows that k documents of the window reach `score`. */
  raise(score: number): void;
  push(score: number, doc: number): void;
}

/**
 * Keeps the k largest numbers and some more. It sorts the extra ones out when room runs out, so adding a number takes a
 * few nanoseconds however large k is. The threshold may therefore be lower than the k-th best; it is never higher.
 */
export class Threshold implements WindowThreshold {
  readonly k: number;
  readonly #numbers: Float64Array;
  #size = 0;
  #value = Number.NEGATIVE_INFINITY;

  constructor(k: number) {
    this.k = k;
    this.#numbers = new Float64Array(k + Math.max(SPARE, k >> 1));
  }

  /** Whether at least k numbers were added. */
  get isFull(): boolean {
    return this.#size >= this.k;
  }

  /** A score that k documents are known to reach: −∞ at first. */
  get value(): number {
    if (this.#size > this.k && (this.k <= SELECT_ALWAYS || this.#size > this.k + (this.k >> 3)))
      this.#select();
    else if (this.#size === this.k && this.k > 0) this.#select();
    return this.#value;
  }

  /** For when something else shows that k documents reach `score`. */
  raise(score: number): void {
    if (score > this.#value) this.#value = score;
  }

  push(score: number): void {
    if (this.k === 0 || (score <= this.#value && this.#size >= this.k)) return;
    this.#numbers[this.#size++] = score;
    if (this.#size === this.#numbers.length) this.#select();
  }

  #select(): void {
    this.raise(kthLargest(this.#numbers, this.#size, this.k));
    this.#size = this.k;
  }
}
