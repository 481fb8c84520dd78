// The terms of one document, by id, one after another → how often it has each. A build does this for every word of every text, so
// nothing is allocated for a term.

import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";

export class TermCounter {
  /** Distinct terms, in the order in which they came first, and how often each came. */
  #ids: Uint32Array = new Uint32Array(1024);
  #counts: Uint32Array = new Uint32Array(1024);
  #size = 0;
  /** By id: 1 + its entry among the distinct terms; 0 if it has none yet. */
  #entries: Uint32Array = new Uint32Array(1024);

  /** Counts a term. Returns whether it is new to the document. */
  add(id: number): boolean {
    if (id >= this.#entries.length) this.#entries = ensureCapacity(this.#entries, id + 1);
    const entry = this.#entries[id];
    if (entry > 0) {
      this.#counts[entry - 1]++;
      return false;
    }
    const size = ++this.#size;
    if (size > this.#ids.length) {
      this.#ids = ensureCapacity(this.#ids, size);
      this.#counts = ensureCapacity(this.#counts, size);
    }
    this.#ids[size - 1] = id;
    this.#counts[size - 1] = 1;
    this.#entries[id] = size;
    return true;
  }

  /** Which of the distinct terms an id is. */
  indexOf(id: number): number {
    return this.#entries[id] - 1;
  }

  /** What was counted: views, valid until `clear`. Copies of all documents would keep the garbage collector busy. */
  counted(): { readonly ids: Uint32Array; readonly counts: Uint32Array } {
    return { ids: this.#ids.subarray(0, this.#size), counts: this.#counts.subarray(0, this.#size) };
  }

  /** Begins with the next document. */
  clear(): void {
    for (let i = 0; i < this.#size; i++) this.#entries[this.#ids[i]] = 0;
    this.#size = 0;
  }
}
