// A word and sorted terms → the terms that are few edits away. An edit adds, drops or changes a letter, or swaps two neighbors;
// `editsBetween` in support/numbers/edits.ts is the definition. The walk goes through the terms of each length in order, like an
// automaton through a tree of letters: it keeps a state for each letter of the current term, and leaves out all terms with a
// beginning that is too far.
//
// A state says which beginnings of the word are near a beginning of the term. Those that are more than `most` letters longer or
// shorter are too far in any case, so bit b of a state stands for the beginning of the word with `depth + b − most` letters: five
// bits for two edits. All of them are computed at once. A bit of `within0`, `within1` and `within2` is set if 0, 1 or 2 edits are
// enough.

import type { SortedTerms } from "./sorted-terms.ts";
import type { TermsOfLength } from "./terms-of-length.ts";

/**
 * What is compared with the whole word:
 * - `whole`: the whole term
 * - `begins`: each beginning of the term. If a beginning is near, the term is a completion of the word
 */
export type NearKind = "whole" | "begins";

/** Called with the id of a term that is near, and its edits. */
type VisitTerm = (id: number, edits: number) => void;

/** Calls `found` with each term that is at most `most` edits away. */
export function findNearTerms(
  terms: SortedTerms,
  word: readonly number[],
  most: 0 | 1 | 2,
  kind: NearKind,
  found: VisitTerm,
): void {
  const { byLength } = terms;
  const longest = kind === "begins" ? byLength.length - 1 : word.length + most;
  for (const terms of byLength.slice(Math.max(0, word.length - most), longest + 1))
    if (terms.ids.length > 0) new NearTermWalk(terms, word, most, kind).run(found);
}

/** The numbers of a state: within0, within1, within2, and which letters of the word match. */
const STATE = 4;
/** More bits than a state has. */
const ALL_BITS = 31;

class NearTermWalk {
  readonly #terms: TermsOfLength;
  readonly #kind: NearKind;
  readonly #most: number;
  /** How many letters the word has. */
  readonly #letters: number;
  /** The code points of the word, with −1 before and after them. */
  readonly #padded: Int32Array;
  /** The states, by the number of letters of a term's beginning. */
  readonly #states: Int32Array;
  /** The bits of within0, within1 and within2 from which the whole term can still be near. */
  readonly #useful: readonly [number, number, number];
  /** For each length of a term's beginning: the fewest edits between the word and a beginning of it. */
  readonly #best: Uint8Array;
  /** No longer beginning of a term can be near. */
  readonly #deepest: number;

  constructor(terms: TermsOfLength, word: readonly number[], most: number, kind: NearKind) {
    this.#terms = terms;
    this.#kind = kind;
    this.#most = most;
    this.#letters = word.length;
    this.#deepest = Math.min(terms.length, word.length + most);
    this.#padded = new Int32Array(this.#deepest + 2 * most + 1).fill(-1);
    for (let i = 0; i < word.length && most + 1 + i < this.#padded.length; i++)
      this.#padded[most + 1 + i] = word[i];
    this.#states = new Int32Array(STATE * (this.#deepest + 1));
    // A term with more or fewer letters than the word needs edits for that. So few are left for others.
    const last = word.length - terms.length + most;
    const near = (edits: number) =>
      kind === "begins" ? ALL_BITS : bits(last - most + edits, last + most - edits);
    this.#useful = [near(0), near(1), near(2)];
    for (let edits = 0; edits <= most; edits++)
      this.#states[edits] = bits(most, most + edits) & this.#validAt(0) & this.#useful[edits];
    this.#best = new Uint8Array(this.#deepest + 1).fill(most + 1);
    this.#best[0] = this.#editsAt(0);
  }

  run(found: VisitTerm): void {
    const { ids, shared, length } = this.#terms;
    const [most, deepest, isWhole] = [this.#most, this.#deepest, this.#kind === "whole"];
    /** From this depth on, the current beginning is too far from every beginning of the word. */
    let dead = deepest + 1;
    for (let at = 0; at < ids.length; at++) {
      const kept = shared[at];
      if (kept < dead) {
        dead = deepest + 1;
        for (let depth = kept + 1; depth <= deepest; depth++) {
          if (this.#step(at * length, depth)) continue;
          dead = depth;
          break;
        }
      } else if (isWhole) continue;
      const edits = isWhole ? this.#editsOfWhole(dead) : this.#best[Math.min(dead, deepest)];
      if (edits <= most) found(ids[at], edits);
    }
  }

  /** Computes the state of a beginning with `depth` letters. Returns whether it is near any beginning of the word. */
  #step(start: number, depth: number): boolean {
    const { codes } = this.#terms;
    const [states, padded, most] = [this.#states, this.#padded, this.#most];
    const [useful0, useful1, useful2] = this.#useful;
    const code = codes[start + depth - 1];
    let matches = 0;
    for (let bit = 0; bit <= 2 * most; bit++) if (padded[depth + bit] === code) matches |= 1 << bit;
    const [at, last] = [STATE * depth, STATE * (depth - 1)];
    // Where the last two letters are the word's, swapped, the edits of two letters before count.
    const swaps = depth > 1 ? (matches << 1) & (states[last + 3] >> 1) : 0;
    const valid = this.#validAt(depth);
    const [last0, last1] = [states[last], states[last + 1]];
    const within0 = last0 & matches & valid & useful0;
    let [alive, within1] = [within0, 0];
    if (most > 0) {
      const swapped = swaps && states[last - STATE] & swaps;
      // A letter matches; the term has one more; one is changed; the word has one more; two are swapped.
      within1 = ((last1 & matches) | (last0 >> 1) | last0 | (within0 << 1) | swapped) & valid & useful1;
      alive |= within1;
    }
    if (most > 1) {
      const swapped = swaps && states[last - STATE + 1] & swaps;
      const last2 = states[last + 2];
      const within2 = ((last2 & matches) | (last1 >> 1) | last1 | (within1 << 1) | swapped) & valid & useful2;
      states[at + 2] = within2;
      alive |= within2;
    }
    states[at] = within0;
    states[at + 1] = within1;
    states[at + 3] = matches;
    if (this.#kind === "begins") this.#best[depth] = Math.min(this.#best[depth - 1], this.#editsAt(depth));
    return alive !== 0;
  }

  /** The bits that stand for a beginning of the word: with no fewer than 0 letters, and with no more than the word has. */
  #validAt(depth: number): number {
    const most = this.#most;
    return bits(Math.max(0, most - depth), Math.min(2 * most, this.#letters - depth + most));
  }

  #editsOfWhole(dead: number): number {
    return this.#terms.length < dead ? this.#editsAt(this.#terms.length) : this.#most + 1;
  }

  /** The edits between the whole word and a beginning with `depth` letters; more than `most` if it is too far. */
  #editsAt(depth: number): number {
    const most = this.#most;
    const bit = this.#letters - depth + most;
    if (bit < 0 || bit > 2 * most) return most + 1;
    for (let edits = 0; edits <= most; edits++)
      if ((this.#states[STATE * depth + edits] >> bit) & 1) return edits;
    return most + 1;
  }
}

/** A number whose bits from … to are set; 0 if there are none. */
function bits(from: number, to: number): number {
  if (to < from || to < 0) return 0;
  return (2 << to) - (1 << Math.max(0, from));
}
