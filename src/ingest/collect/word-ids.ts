// Words of texts → the ids of their terms, remembered. A word is read where it stands in its text, so a word that was seen before
// needs no string. Most words were, and a build would spend much of its time on making their strings and collecting them again.

import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";

/** A word that was not seen yet. */
export const UNSEEN = -1;
/** A word without a term, such as a stop word. */
export const NO_TERM = -2;

/** The most words, which are forgotten when there are more. Larger: more memory. Smaller: more words are analyzed again. */
const MOST_WORDS = 196_608;
/** Words of more UTF-16 units are not remembered. They are rare. */
const LONGEST = 64;

/** The hash table is doubled when this share of it is filled. */
const FULL = 0.75;
/** Numbers of an entry: the hash of a word, where it begins in `units`, and 3 + its id. The last is 0 in an empty entry. */
const ENTRY = 3;
/** What is added to an id, so that NO_TERM is above 0. */
const ID_BASE = 3;

/** The seed of the hash. It differs in every process, so that nobody can choose words whose hashes collide. */
const SEED = (Math.random() * 2 ** 32) | 0;

export class WordIds {
  /** The words, each after its length. */
  #units: Uint16Array = new Uint16Array(1024);
  #end = 0;
  #words = 0;
  #entries = new Int32Array(ENTRY * 1024);
  /** The number of entries, which is a power of two, less 1. */
  #mask = 1023;

  /** The id of the word text[start, end); NO_TERM; or UNSEEN. */
  find(text: string, start: number, end: number): number {
    if (end - start > LONGEST) return UNSEEN;
    const at = this.#entryFor(text, start, end, hashWord(text, start, end));
    return this.#entries[at + 2] === 0 ? UNSEEN : this.#entries[at + 2] - ID_BASE;
  }

  /** Remembers the id of the word text[start, end), or that it has none. The word must be unseen. */
  set(text: string, start: number, end: number, id: number): void {
    if (end - start > LONGEST) return;
    if (this.#words >= MOST_WORDS) this.clear();
    if (this.#words + 1 > FULL * (this.#mask + 1)) this.#double();
    const hash = hashWord(text, start, end);
    const at = this.#entryFor(text, start, end, hash);
    this.#words++;
    this.#entries[at] = hash;
    this.#entries[at + 1] = this.#end;
    this.#entries[at + 2] = ID_BASE + id;
    this.#units = ensureCapacity(this.#units, this.#end + 1 + end - start);
    this.#units[this.#end++] = end - start;
    for (let i = start; i < end; i++) this.#units[this.#end++] = text.charCodeAt(i);
  }

  /** Forgets all words. */
  clear(): void {
    this.#entries.fill(0);
    this.#words = 0;
    this.#end = 0;
  }

  /** Where the entry of a word begins, found or empty. */
  #entryFor(text: string, start: number, end: number, hash: number): number {
    const [entries, units, mask] = [this.#entries, this.#units, this.#mask];
    const length = end - start;
    for (let number = hash & mask; ; number = (number + 1) & mask) {
      const at = ENTRY * number;
      if (entries[at + 2] === 0) return at;
      const word = entries[at + 1];
      if (entries[at] !== hash || units[word] !== length) continue;
      let same = 0;
      while (same < length && units[word + 1 + same] === text.charCodeAt(start + same)) same++;
      if (same === length) return at;
    }
  }

  #double(): void {
    const [old, mask] = [this.#entries, 2 * this.#mask + 1];
    const entries = new Int32Array(2 * old.length);
    for (let from = 0; from < old.length; from += ENTRY) {
      if (old[from + 2] === 0) continue;
      let number = old[from] & mask;
      while (entries[ENTRY * number + 2] !== 0) number = (number + 1) & mask;
      for (let i = 0; i < ENTRY; i++) entries[ENTRY * number + i] = old[from + i];
    }
    this.#entries = entries;
    this.#mask = mask;
  }
}

/** FNV-1a of UTF-16 units, with the bits mixed at the end, because the table uses the lowest ones. */
function hashWord(text: string, start: number, end: number): number {
  let hash = SEED;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
