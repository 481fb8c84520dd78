// A vocabulary → its terms in order, as code points, each with how many of them it shares with the term before. A walk over all
// terms can then keep what it computed for the shared part, and leave out all terms whose beginning is already wrong.

import type { Vocabulary } from "../../densify/vocabulary.ts";
import { Letters } from "./letters.ts";

/** The most code points of a word that is corrected. Of a word that is completed, only this many count. */
export const LONGEST_WORD = 64;
/** The code points that are kept of a term. Longer terms are further than two edits from every word that is corrected. */
const KEPT = LONGEST_WORD + 3;

export class SortedTerms {
  readonly vocabulary: Vocabulary;
  /** The ids of the terms, in the order of the terms by UTF-16 units. */
  readonly ids: Uint32Array;
  /** The code points of all terms, one after the other. */
  readonly codes: Uint32Array;
  /** For each term, where its code points begin; and where those of the last one end. */
  readonly starts: Uint32Array;
  /** For each term, how many leading code points it shares with the one before it. */
  readonly shared: Uint8Array;
  readonly letters: Letters;

  constructor(vocabulary: Vocabulary) {
    this.vocabulary = vocabulary;
    const { terms } = vocabulary;
    this.ids = Uint32Array.from(terms, (_, id) => id).sort((a, b) => (terms[a] < terms[b] ? -1 : 1));
    this.starts = new Uint32Array(terms.length + 1);
    this.shared = new Uint8Array(terms.length);
    const codes: number[] = [];
    for (let at = 0; at < terms.length; at++) {
      appendCodes(codes, terms[this.ids[at]]);
      this.starts[at + 1] = codes.length;
      if (at > 0) this.shared[at] = sharedLength(codes, this.starts[at - 1], this.starts[at]);
    }
    this.codes = Uint32Array.from(codes);
    this.letters = new Letters(this.codes, this.starts);
  }

  get size(): number {
    return this.ids.length;
  }

  /** The terms that begin with a prefix: from … to − 1 in this order. */
  range(prefix: string): [from: number, to: number] {
    const from = this.#first((term) => term >= prefix);
    return [from, this.#first((term) => term > prefix && !term.startsWith(prefix))];
  }

  /** The first term that passes. All terms after it must pass as well. */
  #first(passes: (term: string) => boolean): number {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (passes(this.vocabulary.term(this.ids[middle]))) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** The code points of a word. */
export function codesOf(word: string): number[] {
  return Array.from(word, (character) => character.codePointAt(0)!);
}

function appendCodes(codes: number[], term: string): void {
  const end = codes.length + KEPT;
  for (let i = 0; i < term.length && codes.length < end; i++) {
    const code = term.codePointAt(i)!;
    codes.push(code);
    if (code > 0xffff) i++;
  }
}

/** How many leading code points two neighbors share. The second goes up to the end of the list. */
function sharedLength(codes: readonly number[], first: number, second: number): number {
  let length = 0;
  while (
    first + length < second &&
    second + length < codes.length &&
    codes[first + length] === codes[second + length]
  )
    length++;
  return length;
}
