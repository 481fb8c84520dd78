// Candidates: documents that may be among the k best, each with an upper bound on its score. A scan adds them; ranking
// takes them out, highest bound first.

import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";
import { kthLargest, scratchNumbers } from "../../support/numbers/kth.ts";

/** The least and the most candidates that fit at first. The arrays grow when they are full. */
const MIN_CAPACITY = 64;
const MAX_CAPACITY = 16_384;

const NO_DOCS = new Uint32Array(0);

export class Candidates {
  #docs: Uint32Array;
  #bounds: Float64Array;
  #size = 0;

  /** `expected` is a guess of how many will be added. */
  constructor(expected = 0) {
    const capacity = Math.min(Math.max(MIN_CAPACITY, expected), MAX_CAPACITY);
    this.#docs = new Uint32Array(capacity);
    this.#bounds = new Float64Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  add(doc: number, bound: number): void {
    if (this.#size === this.#docs.length) this.#docs = ensureCapacity(this.#docs, this.#size + 1);
    if (this.#size >= this.#bounds.length) this.#bounds = ensureCapacity(this.#bounds, this.#size + 1);
    this.#docs[this.#size] = doc;
    this.#bounds[this.#size++] = bound;
  }

  /** Removes the candidates that cannot reach the threshold. */
  dropBelow(threshold: number): void {
    let kept = 0;
    for (let i = 0; i < this.#size; i++) {
      if (this.#bounds[i] < threshold) continue;
      this.#docs[kept] = this.#docs[i];
      this.#bounds[kept++] = this.#bounds[i];
    }
    this.#size = kept;
  }

  /**
   * `best`: the `n` candidates with the highest bounds, and those equal to the last of them. `next`: the highest
   * bound of the others.
   */
  top(n: number): { best: Candidates; next: number } {
    if (this.#size <= n) return { best: this, next: Number.NEGATIVE_INFINITY };
    const least = this.#nthBound(n);
    const best = new Candidates(n);
    let next = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < this.#size; i++) {
      if (this.#bounds[i] >= least) best.add(this.#docs[i], this.#bounds[i]);
      else next = Math.max(next, this.#bounds[i]);
    }
    return { best, next };
  }

  /** Copies of documents and bounds, in the order they were added. */
  copy(): { docs: Uint32Array; bounds: Float64Array } {
    return { docs: this.#docs.slice(0, this.#size), bounds: this.#bounds.slice(0, this.#size) };
  }

  /** The documents, in the order they were added. */
  get docs(): Uint32Array {
    return this.#docs.subarray(0, this.#size);
  }

  /** Makes the candidates a heap, for `take`: faster than sorting them all, since usually few are taken. */
  heapify(): this {
    for (let node = (this.#size >> 1) - 1; node >= 0; node--) this.#sink(node);
    return this;
  }

  /**
   * Removes the `n` candidates with the highest bounds, and those equal to the last of them. Returns their documents,
   * in the order they were added.
   */
  takeTop(n: number): Uint32Array {
    if (n <= 0 || this.#size === 0) return NO_DOCS;
    const least = this.#size <= n ? Number.NEGATIVE_INFINITY : this.#nthBound(n);
    const taken = new Uint32Array(this.#size);
    let [count, left] = [0, 0];
    for (let i = 0; i < this.#size; i++) {
      if (this.#bounds[i] >= least) {
        taken[count++] = this.#docs[i];
      } else {
        this.#docs[left] = this.#docs[i];
        this.#bounds[left++] = this.#bounds[i];
      }
    }
    this.#size = left;
    return taken.subarray(0, count);
  }

  /**
   * Removes up to `n` candidates that can reach the threshold, highest bounds first. Returns their documents,
   * ascending. Call `heapify` first.
   */
  take(n: number, threshold: number): Uint32Array {
    if (this.#size === 0 || this.#bounds[0] < threshold) return NO_DOCS;
    const taken = new Uint32Array(Math.min(n, this.#size));
    let count = 0;
    while (count < taken.length && this.#bounds[0] >= threshold) {
      taken[count++] = this.#docs[0];
      this.#size--;
      this.#docs[0] = this.#docs[this.#size];
      this.#bounds[0] = this.#bounds[this.#size];
      this.#sink(0);
    }
    return taken.subarray(0, count).sort();
  }

  #nthBound(n: number): number {
    const scratch = scratchNumbers(this.#size);
    scratch.set(this.#bounds.subarray(0, this.#size));
    return kthLargest(scratch, this.#size, n);
  }

  #sink(from: number): void {
    const [docs, bounds, size] = [this.#docs, this.#bounds, this.#size];
    const [doc, bound] = [docs[from], bounds[from]];
    let node = from;
    for (;;) {
      let child = 2 * node + 1;
      if (child >= size) break;
      if (child + 1 < size && bounds[child + 1] > bounds[child]) child++;
      if (bounds[child] <= bound) break;
      docs[node] = docs[child];
      bounds[node] = bounds[child];
      node = child;
    }
    docs[node] = doc;
    bounds[node] = bound;
  }
}
