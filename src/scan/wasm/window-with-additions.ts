// One window of a search that adds to scores. A scan knows nothing of additions: its sums are scores before anything is added. This
// class wraps the scan's output. The scan sees a threshold that is lower by the largest addition in this window. Each score that it
// reports gets the addition of its own document.

import type { Candidates } from "../contract/candidates.ts";
import { type AdditionRange, additionAt, type ScoreAdditions } from "../contract/score-additions.ts";
import type { Threshold, WindowThreshold } from "./threshold.ts";

export class WindowWithAdditions implements WindowThreshold {
  readonly #additions: ScoreAdditions;
  readonly #range: AdditionRange;
  readonly #first: number;
  readonly #threshold: Threshold;
  readonly #candidates: Candidates;
  readonly #least: number;

  /**
   * `first` is the `doc` of the segment's first document. A document whose score, before anything is added, is below
   * `least` is not a hit, however much is added. So it must not raise the threshold.
   */
  constructor(
    additions: ScoreAdditions,
    range: AdditionRange,
    first: number,
    threshold: Threshold,
    candidates: Candidates,
    least: number,
  ) {
    this.#additions = additions;
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
    if (score >= this.#least) this.#threshold.push(score + this.#addedTo(doc));
  }

  add(doc: number, bound: number): void {
    if (bound >= this.#least) this.#candidates.add(doc, bound + this.#addedTo(doc));
  }

  #addedTo(doc: number): number {
    return additionAt(this.#additions, doc - this.#first);
  }
}
