// Documents that may be among the best, each with the most it can score.

import { grown } from "../support/grown.ts";
import { kthLargest, roomFor } from "../support/kth.ts";

/** Candidates there is room for at first, at least, */
const FEW = 64;
/** and at most. */
const MANY = 16_384;

export class Candidates {
  #docs: Uint32Array;
  #most: Float64Array;
  #size = 0;

  /** `expected` of them, more or less. */
  constructor(expected = 0) {
    const room = Math.min(Math.max(FEW, expected), MANY);
    this.#docs = new Uint32Array(room);
    this.#most = new Float64Array(room);
  }

  get size(): number {
    return this.#size;
  }

  add(doc: number, most: number): void {
    if (this.#size === this.#docs.length) this.#docs = grown(this.#docs, this.#size + 1);
    if (this.#size >= this.#most.length) this.#most = grown(this.#most, this.#size + 1);
    this.#docs[this.#size] = doc;
    this.#most[this.#size++] = most;
  }

  /** Lets go of those that cannot reach the floor. */
  keep(floor: number): void {
    let kept = 0;
    for (let i = 0; i < this.#size; i++) {
      if (this.#most[i] < floor) continue;
      this.#docs[kept] = this.#docs[i];
      this.#most[kept++] = this.#most[i];
    }
    this.#size = kept;
  }

  /** The `n` that can score most, and those equal to the last of them; and what the best of the others can score. */
  top(n: number): { best: Candidates; next: number } {
    if (this.#size <= n) return { best: this, next: Number.NEGATIVE_INFINITY };
    const least = this.#nth(n);
    const best = new Candidates(n);
    let next = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < this.#size; i++) {
      if (this.#most[i] >= least) best.add(this.#docs[i], this.#most[i]);
      else next = Math.max(next, this.#most[i]);
    }
    return { best, next };
  }

  /** Copies, in the order they came. */
  arrays(): { docs: Uint32Array; most: Float64Array } {
    return { docs: this.#docs.slice(0, this.#size), most: this.#most.slice(0, this.#size) };
  }

  /** Their numbers, in the order they came. */
  get docs(): Uint32Array {
    return this.#docs.subarray(0, this.#size);
  }

  /** Makes `take` give what can score most first; few are usually taken. */
  rank(): this {
    for (let place = (this.#size >> 1) - 1; place >= 0; place--) this.#sink(place);
    return this;
  }

  /** Takes out the `n` that can score most, and those equal to the last of them: their numbers, in the order they came. */
  takeTop(n: number): Uint32Array {
    if (n <= 0) return new Uint32Array(0);
    const least = this.#size <= n ? Number.NEGATIVE_INFINITY : this.#nth(n);
    const taken = new Uint32Array(this.#size);
    let [count, left] = [0, 0];
    for (let i = 0; i < this.#size; i++) {
      if (this.#most[i] >= least) {
        taken[count++] = this.#docs[i];
      } else {
        this.#docs[left] = this.#docs[i];
        this.#most[left++] = this.#most[i];
      }
    }
    this.#size = left;
    return taken.subarray(0, count);
  }

  /** The best that are left and can reach the floor, `n` at most, which are taken out: their numbers, ascending. */
  take(n: number, floor: number): Uint32Array {
    const taken = new Uint32Array(Math.min(n, this.#size));
    let count = 0;
    while (count < taken.length && this.#most[0] >= floor) {
      taken[count++] = this.#docs[0];
      this.#size--;
      this.#docs[0] = this.#docs[this.#size];
      this.#most[0] = this.#most[this.#size];
      this.#sink(0);
    }
    return taken.subarray(0, count).sort();
  }

  /** What the n-th best can score. */
  #nth(n: number): number {
    const room = roomFor(this.#size);
    room.set(this.#most.subarray(0, this.#size));
    return kthLargest(room, this.#size, n);
  }

  #sink(from: number): void {
    const [docs, most, size] = [this.#docs, this.#most, this.#size];
    const [doc, value] = [docs[from], most[from]];
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= size) break;
      if (child + 1 < size && most[child + 1] > most[child]) child++;
      if (most[child] <= value) break;
      docs[place] = docs[child];
      most[place] = most[child];
      place = child;
    }
    docs[place] = doc;
    most[place] = value;
  }
}
