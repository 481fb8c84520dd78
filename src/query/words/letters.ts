// The code points of a vocabulary's terms → its alphabet, and which letters often stand next to each other.

import type { TermsOfLength } from "./terms-of-length.ts";

/** The most letters of an alphabet. More: corrections take longer. Scripts with more letters have short words. */
const MOST_LETTERS = 32;
/**
 * Two letters are neighbors if they stand side by side in at least one of this many terms. Larger: more spellings are tried,
 * and corrections take longer.
 */
const ONE_OF = 500;

export class Letters {
  /** The most frequent letters, the most frequent first. Their places in this list are their numbers. */
  readonly alphabet: readonly string[];
  readonly #numbers: ReadonlyMap<string, number>;
  /** Whether one letter often follows another, by the numbers of both. */
  readonly #areNeighbors: Uint8Array;

  constructor(byLength: readonly TermsOfLength[]) {
    const counts = codeCounts(byLength);
    const known: number[] = [];
    for (let code = 0; code < counts.length; code++)
      if (counts[code] > 0 && /\p{L}/u.test(String.fromCodePoint(code))) known.push(code);
    known.sort((a, b) => counts[b] - counts[a] || a - b);
    known.length = Math.min(known.length, MOST_LETTERS);
    this.alphabet = known.map((code) => String.fromCodePoint(code));
    this.#numbers = new Map(this.alphabet.map((letter, number) => [letter, number]));
    const least = byLength.reduce((terms, { ids }) => terms + ids.length, 0) / ONE_OF;
    this.#areNeighbors = Uint8Array.from(pairCounts(byLength, known, counts.length), (count) =>
      count >= least ? 1 : 0,
    );
  }

  /** The number of a letter; −1 if the alphabet lacks the letter, or if `letter` is undefined. */
  numberOf(letter: string | undefined): number {
    return this.#numbers.get(letter ?? "") ?? -1;
  }

  /** Whether the letters with these numbers often stand next to each other. What is not in the alphabet stands next to all. */
  areNeighbors(left: number, right: number): boolean {
    return left < 0 || right < 0 || this.#areNeighbors[left * MOST_LETTERS + right] === 1;
  }
}

/** How often each code point occurs, up to the largest that does. */
function codeCounts(byLength: readonly TermsOfLength[]): Uint32Array {
  let largest = 0;
  for (const { codes } of byLength)
    for (let i = 0; i < codes.length; i++) largest = Math.max(largest, codes[i]);
  const counts = new Uint32Array(largest + 1);
  for (const { codes } of byLength) for (let i = 0; i < codes.length; i++) counts[codes[i]]++;
  return counts;
}

/** How often one letter of an alphabet follows another, by the numbers of both. */
function pairCounts(
  byLength: readonly TermsOfLength[],
  alphabet: readonly number[],
  codePoints: number,
): Uint32Array {
  const numberOf = new Int8Array(codePoints).fill(-1);
  for (const [number, code] of alphabet.entries()) numberOf[code] = number;
  const pairs = new Uint32Array(MOST_LETTERS ** 2);
  for (const { codes, length } of byLength) {
    for (let end = length; end <= codes.length && length > 0; end += length) {
      for (let at = end - length + 1; at < end; at++) {
        const [left, right] = [numberOf[codes[at - 1]], numberOf[codes[at]]];
        if (left >= 0 && right >= 0) pairs[left * MOST_LETTERS + right]++;
      }
    }
  }
  return pairs;
}
