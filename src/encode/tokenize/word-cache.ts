// ASCII words → the ids of their pieces, for words that were seen before, as most were. A word is looked up in place, in its
// text: a Map would need a new string for every occurrence, and making these strings would take most of the time.

import { ensureCapacity } from "../../support/numbers/ensure-capacity.ts";

/** The most words in the cache, which is cleared when it is full. */
const MOST_WORDS = 1 << 16;
/** Slots of the hash table: twice as many as words, so that most look-ups end at the first one. A power of two. */
const SLOTS = MOST_WORDS << 1;
/** The most characters of a word in the cache. */
const LONGEST = 32;

/** The hash of a word without its last character, and that character → the hash of the word. An empty word has the hash 0. */
export function hashWord(before: number, code: number): number {
  return Math.imul(before ^ code, 0x9e3779b1);
}

export class WordCache {
  /** By slot: 1 + a word's number; 0 if the slot is free. */
  readonly #slots = new Uint32Array(SLOTS);
  /** By word number: its hash, and where its characters and ids begin. The next word's begin where they end. */
  readonly #hashes = new Int32Array(MOST_WORDS);
  readonly #starts = new Uint32Array(MOST_WORDS + 1);
  readonly #idStarts = new Uint32Array(MOST_WORDS + 1);
  #characters: Uint8Array = new Uint8Array(1024);
  #ids: Uint32Array = new Uint32Array(1024);
  #words = 0;

  /** Adds the ids of the word from `start` to `end` to a list. Returns false if the word is not here. */
  addIds(text: string, start: number, end: number, hash: number, ids: number[]): boolean {
    const slots = this.#slots;
    for (let slot = slotOf(hash); slots[slot] > 0; slot = (slot + 1) & (SLOTS - 1)) {
      const word = slots[slot] - 1;
      if (this.#hashes[word] !== hash || !this.#isAt(word, text, start, end)) continue;
      for (let i = this.#idStarts[word]; i < this.#idStarts[word + 1]; i++) ids.push(this.#ids[i]);
      return true;
    }
    return false;
  }

  /** Keeps a word that is not here yet. Its ids are the end of the list, from `first` on. */
  keep(text: string, start: number, end: number, hash: number, ids: readonly number[], first: number): void {
    if (end - start > LONGEST) return;
    if (this.#words === MOST_WORDS) this.#clear();
    const word = this.#words++;
    this.#hashes[word] = hash;
    const from = this.#starts[word];
    this.#starts[word + 1] = from + end - start;
    this.#characters = ensureCapacity(this.#characters, from + end - start);
    for (let i = start; i < end; i++) this.#characters[from + i - start] = text.charCodeAt(i);
    const idsFrom = this.#idStarts[word];
    this.#idStarts[word + 1] = idsFrom + ids.length - first;
    this.#ids = ensureCapacity(this.#ids, idsFrom + ids.length - first);
    for (let i = first; i < ids.length; i++) this.#ids[idsFrom + i - first] = ids[i];
    let slot = slotOf(hash);
    while (this.#slots[slot] > 0) slot = (slot + 1) & (SLOTS - 1);
    this.#slots[slot] = word + 1;
  }

  #isAt(word: number, text: string, start: number, end: number): boolean {
    const [from, characters] = [this.#starts[word], this.#characters];
    if (this.#starts[word + 1] - from !== end - start) return false;
    for (let i = start; i < end; i++) if (characters[from + i - start] !== text.charCodeAt(i)) return false;
    return true;
  }

  #clear(): void {
    this.#slots.fill(0);
    this.#words = 0;
  }
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}
