// One window of a boosted search. A scan knows nothing of boosts: its sums are scores without them. This stands between the
// scan and what it reports to. The scan sees a threshold that is lower by the most that fields add in this window. What it
// reports gets the true boost of its document.

import type { Candidates } from "../contract/candidates.ts";
import { type BoostRange, boostAt, type SegmentBoosts } from "../contract/segment-boosts.ts";
import type { Threshold, WindowThreshold } from "./threshold.ts";

export class BoostedWindow implements WindowThreshold {
  readonly #boosts: SegmentBoosts;
  readonly #range: BoostRange;
  readonly #first: number;
  readonly #threshold: Threshold;
  readonly #candidates: Candidates;
  readonly #least: number;

  /**
   * `first` is the `doc` of the segment's first document. A document whose score without boosts is below `least` is not a
   * hit, however large its boost is. So it must not raise the threshold.
   */
  constructor(
    boosts: SegmentBoosts,
    range: BoostRange,
    first: number,
    threshold: Threshold,
    candidates: Candidates,
    least: number,
  ) {
    this.#boosts = boosts;
    this.#range = range;
    this.#first = first;
    this.#threshold = threshold;
    this.#candidates = candidates;
    this.#least = least;
  }

  get k(): number {
    return this.#threshold.k;
  }

  get isFull(): boolean {
    return this.#threshold.isFull;
  }

  get value(): number {
    return this.#threshold.value - this.#range.greatest;
  }

  raise(score: number): void {
    if (score >= this.#least) this.#threshold.raise(score + this.#range.least);
  }

  push(score: number, doc: number): void {
    if (score >= this.#least) this.#threshold.push(score + this.#boostOf(doc));
  }

  add(doc: number, bound: number): void {
    if (bound >= this.#least) this.#candidates.add(doc, bound + this.#boostOf(doc));
  }

  #boostOf(doc: number): number {
    return boostAt(this.#boosts, doc - this.#first);
  }
}
