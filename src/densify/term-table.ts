// Terms ↔ ids. All terms stand in one array of bytes, with a table of numbers to find them: a string of its own for each,
// and a Map, take several times as much.

import { grown } from "../support/grown.ts";

/** A table is doubled when this share of it is taken. */
const FULL = 0.7;

/** Another one in every process, so that nobody can choose words that fall together. */
const SEED = (Math.random() * 2 ** 32) >>> 0;

export class TermTable {
  /**
   * The terms, and behind them room for one that is looked for. A unit of UTF-16 below 128 is a byte, another is three:
   * halves of surrogate pairs, too, come out as they went in.
   */
  #bytes: Uint8Array = new Uint8Array(256);
  /** By id, and once more at the end: where its bytes begin. */
  #starts: Uint32Array = new Uint32Array(64);
  /** 1 + id, or 0; as many as a power of two. */
  #slots = new Uint32Array(64);
  #size = 0;
  /** Characters of the longest term. */
  #longest = 0;

  /** Ids from 0 on. */
  get size(): number {
    return this.#size;
  }

  find(term: string): number | undefined {
    if (term.length > this.#longest) return undefined;
    const slot = this.#slots[this.#slotFor(this.#write(term))];
    return slot > 0 ? slot - 1 : undefined;
  }

  /** Gives a term the next id; undefined where it has one. */
  add(term: string): number | undefined {
    if (this.#size + 1 > this.#slots.length * FULL) this.#double();
    const end = this.#write(term);
    const at = this.#slotFor(end);
    if (this.#slots[at] > 0) return undefined;
    const id = this.#size++;
    this.#slots[at] = id + 1;
    this.#starts = grown(this.#starts, id + 2);
    this.#starts[id + 1] = end;
    this.#longest = Math.max(this.#longest, term.length);
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

  /** Puts a term behind the others: where it ends. */
  #write(term: string): number {
    let at = this.#starts[this.#size];
    const most = at + 3 * term.length;
    if (most > this.#bytes.length) this.#bytes = grown(this.#bytes, most);
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

  /** Where the term is, or would be, that was put behind the others and ends there. */
  #slotFor(end: number): number {
    const [bytes, starts, slots] = [this.#bytes, this.#starts, this.#slots];
    const start = starts[this.#size];
    const mask = slots.length - 1;
    let at = hashOf(bytes, start, end) & mask;
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
      let at = hashOf(this.#bytes, this.#starts[id], this.#starts[id + 1]) & mask;
      while (slots[at] > 0) at = (at + 1) & mask;
      slots[at] = id + 1;
    }
    this.#slots = slots;
  }
}

/** FNV-1a, and its bits mixed: the lowest are what counts. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = SEED;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
