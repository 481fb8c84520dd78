// A vocabulary → its terms in order, and the same terms by their length, as code points, each with how many of them it shares with the
// term before. A walk over terms of one length can then keep what it computed for the shared part, and leave out all terms whose
// beginning is already wrong.

import type { Vocabulary } from "../../densify/vocabulary.ts";
import { Letters } from "./letters.ts";

/** The most code points of a word that is corrected. Of a word that is completed, only this many count. */
export const LONGEST_WORD = 64;
/** The code points that are kept of a term. Longer terms are further than two edits from every word that is corrected. */
const KEPT = LONGEST_WORD + 3;

/** All terms with as many code points, in order. */
export interface TermsOfLength {
  /** How many code points each has. Longer terms are among those with the most that are kept. */
  readonly length: number;
  readonly ids: Uint32Array;
  /** The code points of all terms, one after the other. */
  readonly codes: Uint32Array;
  /** For each term, how many leading code points it shares with the one before it. */
  readonly shared: Uint8Array;
}

export class SortedTerms {
  readonly vocabulary: Vocabulary;
  /** The ids of the terms, in the order of the terms by UTF-16 units. */
  readonly ids: Uint32Array;
  /** The terms by their length: 0, 1, 2, … */
  readonly byLength: readonly TermsOfLength[];
  readonly letters: Letters;

  constructor(vocabulary: Vocabulary) {
    this.vocabulary = vocabulary;
    const terms = [...vocabulary.terms].sort(); // without a function: that takes a third of the time
    this.ids = Uint32Array.from(terms, (term) => vocabulary.id(term)!);
    this.byLength = termsByLength(terms, this.ids);
    this.letters = new Letters(this.byLength);
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

/** Sorted terms and their ids → the same, by length. */
function termsByLength(terms: readonly string[], ids: Uint32Array): TermsOfLength[] {
  const lengths = Uint8Array.from(terms, keptLength);
  const counts = new Uint32Array(KEPT + 1);
  for (const length of lengths) counts[length]++;
  const byLength = Array.from(counts, (count, length) => ({
    length,
    ids: new Uint32Array(count),
    codes: new Uint32Array(count * length),
    shared: new Uint8Array(count),
  }));
  const filled = new Uint32Array(KEPT + 1);
  for (let i = 0; i < terms.length; i++) {
    const length = lengths[i];
    const { codes, shared, ...others } = byLength[length];
    const at = filled[length]++;
    others.ids[at] = ids[i];
    const start = at * length;
    writeCodes(terms[i], codes, start, length);
    let same = 0;
    while (at > 0 && same < length && codes[start - length + same] === codes[start + same]) same++;
    shared[at] = same;
  }
  return byLength;
}

/** How many code points are kept of a term. */
function keptLength(term: string): number {
  let length = 0;
  for (let i = 0; i < term.length && length < KEPT; i++, length++) if (term.codePointAt(i)! > 0xffff) i++;
  return length;
}

function writeCodes(term: string, codes: Uint32Array, start: number, length: number): void {
  for (let i = 0, at = start; at < start + length; i++, at++) {
    codes[at] = term.codePointAt(i)!;
    if (codes[at] > 0xffff) i++;
  }
}
