// Documents that may be among the best, each with the most it can score.

import { grown } from "../kernel/rows.ts";

export class Candidates {
  #docs: Uint32Array = new Uint32Array(1024);
  #most: Float64Array = new Float64Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(doc: number, most: number): void {
    this.#docs = grown(this.#docs, this.#size + 1);
    this.#most = grown(this.#most, this.#size + 1);
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

  /** What the candidate after the `n` best can score; −∞ when there is none. */
  nth(n: number): number {
    if (this.#size <= n) return Number.NEGATIVE_INFINITY;
    return this.#most
      .slice(0, this.#size)
      .sort()
      .at(-1 - n)!;
  }

  /** Those that can score most come first; equal ones in the order of their numbers. */
  ranked(): { docs: Uint32Array; most: Float64Array } {
    const [docs, most] = [this.#docs, this.#most];
    const order = Uint32Array.from({ length: this.#size }, (_, i) => i);
    order.sort((a, b) => most[b] - most[a] || docs[a] - docs[b]);
    return { docs: order.map((i) => docs[i]), most: Float64Array.from(order, (i) => most[i]) };
  }
}
