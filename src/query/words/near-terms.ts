// A word and sorted terms → the terms that are few edits away. An edit adds, drops or changes a letter, or swaps two neighbors;
// `editsBetween` in support/numbers/edits.ts is the definition. The walk goes through the terms in order, like an automaton through a
// tree of letters: it keeps a row of distances for each letter of the current term, and only those near the diagonal.

import type { SortedTerms } from "./sorted-terms.ts";

/**
 * What of a term is compared with what of the word:
 * - `whole`: the whole term with the whole word
 * - `begins`: some beginning of the term with the whole word, which is then completed by the term
 */
export type NearKind = "whole" | "begins";

/** Called with a term that is near: its place in the order, and its edits. */
type VisitTerm = (at: number, edits: number) => void;

/** Calls `found` with each term that is at most `most` edits away. */
export function nearTerms(
  terms: SortedTerms,
  word: readonly number[],
  most: number,
  kind: NearKind,
  found: VisitTerm,
): void {
  new NearTermWalk(terms, word, most, kind).run(found);
}

class NearTermWalk {
  readonly #terms: SortedTerms;
  readonly #word: readonly number[];
  readonly #most: number;
  readonly #kind: NearKind;
  /** A row for each length of a term's beginning: its distances from the word's beginnings. */
  readonly #rows: Uint8Array[] = [];
  /** For each length of a term's beginning: the fewest edits between the word and a beginning of it. */
  readonly #best: Uint8Array;

  constructor(terms: SortedTerms, word: readonly number[], most: number, kind: NearKind) {
    this.#terms = terms;
    this.#word = word;
    this.#most = most;
    this.#kind = kind;
    const longest = word.length + most + 2;
    this.#best = new Uint8Array(longest + 1).fill(most + 1);
    for (let depth = 0; depth <= longest; depth++)
      this.#rows.push(new Uint8Array(word.length + 1).fill(most + 1));
    for (let j = 0; j <= Math.min(word.length, most); j++) this.#rows[0][j] = j;
    this.#best[0] = this.#rows[0][word.length];
  }

  run(found: VisitTerm): void {
    const { size, starts, shared } = this.#terms;
    const most = this.#most;
    const deepest = this.#rows.length - 1;
    /** From this depth on, the current beginning is too far from every beginning of the word. */
    let dead = deepest + 1;
    for (let at = 0; at < size; at++) {
      const kept = shared[at];
      if (kept < dead) {
        dead = deepest + 1;
        const end = Math.min(starts[at + 1] - starts[at], deepest);
        for (let depth = kept + 1; depth <= end && dead > deepest; depth++)
          if (!this.#step(starts[at], depth)) dead = depth;
      }
      const edits = this.#editsOf(starts[at + 1] - starts[at], dead);
      if (edits <= most) found(at, edits);
    }
  }

  /** Computes the row of a beginning with `depth` letters. Returns whether any distance in it is small enough. */
  #step(start: number, depth: number): boolean {
    const { codes } = this.#terms;
    const [word, most] = [this.#word, this.#most];
    const [row, last] = [this.#rows[depth], this.#rows[depth - 1]];
    const before = depth > 1 ? this.#rows[depth - 2] : undefined;
    const code = codes[start + depth - 1];
    const previous = depth > 1 ? codes[start + depth - 2] : -1;
    const [from, to] = [Math.max(0, depth - most), Math.min(word.length, depth + most)];
    let least = most + 1;
    if (from > 0 && from <= word.length + 1) row[from - 1] = most + 1;
    for (let j = from; j <= to; j++) {
      let edits = last[j] + 1;
      if (j > 0) {
        edits = Math.min(edits, row[j - 1] + 1, last[j - 1] + (word[j - 1] === code ? 0 : 1));
        if (before && j > 1 && word[j - 2] === code && word[j - 1] === previous)
          edits = Math.min(edits, before[j - 2] + 1);
      }
      row[j] = Math.min(edits, most + 1);
      if (row[j] < least) least = row[j];
    }
    if (to < word.length) row[to + 1] = most + 1;
    const whole = to === word.length && from <= to ? row[to] : most + 1;
    this.#best[depth] = Math.min(this.#best[depth - 1], whole);
    return least <= most;
  }

  /** The edits of a term with `length` letters; more than `most` if it is too far. */
  #editsOf(length: number, dead: number): number {
    const [deepest, size] = [this.#rows.length - 1, this.#word.length];
    if (this.#kind === "begins") return this.#best[Math.min(length, dead, deepest)];
    const isNear = length < dead && length <= deepest && Math.abs(length - size) <= this.#most;
    return isNear ? this.#rows[length][size] : this.#most + 1;
  }
}
