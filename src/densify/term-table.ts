// Terms ↔ ids. All terms are in one array of bytes, with a hash table of numbers to find them. Strings and a Map would take
// several times as much memory.

import type { Fingerprint } from "../support/bytes/hash.ts";
import { ensureCapacity } from "../support/numbers/ensure-capacity.ts";

/** The hash table is doubled when this share of it is filled. Larger: less memory, slower look-ups. */
const FULL = 0.7;

/** The seed of the hash. It differs in every process, so that nobody can choose terms whose hashes collide. */
const SEED = (Math.random() * 2 ** 32) >>> 0;

export class TermTable {
  /**
   * The terms, and after them the term that is being looked up. A UTF-16 unit below 128 takes one byte, any other three; so
   * halves of surrogate pairs are kept, too.
   */
  #bytes: Uint8Array = new Uint8Array(256);
  /** For each id, where its bytes begin; and where the last one ends. */
  #starts: Uint32Array = new Uint32Array(64);
  /** The hash table: 1 + id, or 0 for an empty entry. Its length is a power of two. */
  #slots = new Uint32Array(64);
  #size = 0;
  /** Characters of the longest term. */
  #longest = 0;

  /** The number of terms. Their ids are 0 … size − 1. */
  get size(): number {
    return this.#size;
  }

  find(term: string): number | undefined {
    if (term.length > this.#longest) return undefined;
    const slot = this.#slots[this.#slotFor(this.#write(term))];
    return slot > 0 ? slot - 1 : undefined;
  }

  /** Gives a term the next id, and returns it; undefined if the term has an id already. */
  add(term: string): number | undefined {
    return this.#addWritten(this.#write(term), term.length);
  }

  /** `add` for a term of ASCII that is in an array: bytes[start, end). */
  addAscii(bytes: Uint8Array, start: number, end: number): number | undefined {
    const from = this.#starts[this.#size];
    const to = from + end - start;
    if (to > this.#bytes.length) this.#bytes = ensureCapacity(this.#bytes, to);
    const own = this.#bytes;
    for (let i = start; i < end; i++) own[from + i - start] = bytes[i];
    return this.#addWritten(to, end - start);
  }

  /** Adds the UTF-8 bytes of the terms from an id on to a fingerprint. */
  addTo(fingerprint: Fingerprint, first: number): void {
    const [bytes, starts] = [this.#bytes, this.#starts];
    for (let id = first; id < this.#size; id++) {
      let at = starts[id];
      while (at < starts[id + 1] && bytes[at] < 0x80) at++;
      if (at === starts[id + 1]) fingerprint.addRange(bytes, starts[id], at);
      else fingerprint.add(this.at(id));
    }
  }

  /** Adds the term that was written last, and ends at `end`. */
  #addWritten(end: number, length: number): number | undefined {
    if (this.#size + 1 > this.#slots.length * FULL) this.#double();
    const at = this.#slotFor(end);
    if (this.#slots[at] > 0) return undefined;
    const id = this.#size++;
    this.#slots[at] = id + 1;
    this.#starts = ensureCapacity(this.#starts, id + 2);
    this.#starts[id + 1] = end;
    this.#longest = Math.max(this.#longest, length);
    return id;
  }

  at(id: number): string {
    const [bytes, end] = [this.#bytes, this.#starts[id + 1]];
    let term = "";
    for (let i = this.#starts[id]; i < end; i++) {
      const byte = bytes[i];
      const unit = byte < 0x80 ? byte : ((byte & 3) << 14) | (bytes[++i] << 7) | bytes[++i];
      term += String.fromCharCode(unit);
    }
    return term;
  }

  /** Writes a term after the others, and returns where it ends. */
  #write(term: string): number {
    let at = this.#starts[this.#size];
    const most = at + 3 * term.length;
    if (most > this.#bytes.length) this.#bytes = ensureCapacity(this.#bytes, most);
    const bytes = this.#bytes;
    for (let i = 0; i < term.length; i++) {
      const unit = term.charCodeAt(i);
      if (unit < 0x80) {
        bytes[at++] = unit;
      } else {
        bytes[at++] = 0x80 | (unit >>> 14);
        bytes[at++] = (unit >>> 7) & 0x7f;
        bytes[at++] = unit & 0x7f;
      }
    }
    return at;
  }

  /** The entry of the hash table for the term that `#write` has just written, found or free. */
  #slotFor(end: number): number {
    const [bytes, starts, slots] = [this.#bytes, this.#starts, this.#slots];
    const start = starts[this.#size];
    const mask = slots.length - 1;
    let at = hashTerm(bytes, start, end) & mask;
    for (let slot = slots[at]; slot > 0; slot = slots[at]) {
      let [mine, its] = [start, starts[slot - 1]];
      if (starts[slot] - its === end - start) {
        while (mine < end && bytes[mine] === bytes[its]) {
          mine++;
          its++;
        }
        if (mine === end) break;
      }
      at = (at + 1) & mask;
    }
    return at;
  }

  #double(): void {
    const slots = new Uint32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let id = 0; id < this.#size; id++) {
      let at = hashTerm(this.#bytes, this.#starts[id], this.#starts[id + 1]) & mask;
      while (slots[at] > 0) at = (at + 1) & mask;
      slots[at] = id + 1;
    }
    this.#slots = slots;
  }
}

/** FNV-1a, with the bits mixed at the end, because the table uses the lowest ones. */
function hashTerm(bytes: Uint8Array, start: number, end: number): number {
  let hash = SEED;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
