// The terms of a vocabulary → whether some term may begin as a word does. Most words that are one edit away from a misspelled one
// begin as no term does, and the analyzer need not read them: it takes 50 times as long as this.
//
// Beginnings are kept as bits of a table, by their hash. Two of them may have the same bit: then a word is read in vain.

import type { TermsOfLength } from "./terms-of-length.ts";

/** The letters of a beginning that is looked up, at least; fewer if a word has less than twice as many letters. */
const LEAST_LETTERS = 4;
/** The longest ending that an analyzer changes: "bilities" of "possibilities". Larger: more words are read. */
const LONGEST_ENDING = 8;
/** Bits of the table for each code point of a term. More: fewer words are read in vain. */
const BITS_PER_CODE = 8;

export class KnownBeginnings {
  readonly #table: Uint32Array;
  readonly #mask: number;

  constructor(byLength: readonly TermsOfLength[]) {
    const codes = byLength.reduce((sum, { codes }) => sum + codes.length, 0);
    const bits = 2 ** Math.ceil(Math.log2(Math.max(1024, codes * BITS_PER_CODE)));
    this.#table = new Uint32Array(bits / 32);
    this.#mask = bits - 1;
    for (const { codes, length } of byLength) {
      for (let start = 0; start < codes.length; start += length) {
        let hash = 0;
        for (let at = start; at < start + length; at++) {
          hash = next(hash, codes[at]);
          this.#set(hash);
        }
        this.#set(next(hash, END_OF_TERM));
      }
    }
  }

  /**
   * False only if no indexed term can be the stem of this word: no term begins as the word does, and no term of at least four
   * letters is a beginning of it. For analyzers that keep the beginning of a word.
   */
  mayHave(word: string): boolean {
    const least = Math.max(
      Math.min(LEAST_LETTERS, word.length - LEAST_LETTERS),
      word.length - LONGEST_ENDING,
    );
    let hash = 0;
    for (let i = 0; i < least && i < word.length; i++) {
      if (i >= LEAST_LETTERS && this.#has(next(hash, END_OF_TERM))) return true;
      const code = word.codePointAt(i)!;
      if (code > 0xffff) return true; // rare
      hash = next(hash, code);
      if (!this.#has(hash)) return false;
    }
    return true;
  }

  #set(hash: number): void {
    const bit = mixed(hash) & this.#mask;
    this.#table[bit >>> 5] |= 1 << (bit & 31);
  }

  #has(hash: number): boolean {
    const bit = mixed(hash) & this.#mask;
    return ((this.#table[bit >>> 5] >>> (bit & 31)) & 1) === 1;
  }
}

/** Stands for the end of a term: no code point. */
const END_OF_TERM = 0x110000;

function next(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193) ^ (hash >>> 15);
}

function mixed(hash: number): number {
  const first = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (first ^ (first >>> 13)) >>> 0;
}
