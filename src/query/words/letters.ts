// The code points of a vocabulary's terms → its alphabet, and which letters often stand next to each other.

/** The most letters of an alphabet. More: corrections take longer. Scripts with more letters have short words. */
const MOST_LETTERS = 32;
/**
 * Two letters are neighbors if they stand side by side in at least one of this many terms. Larger: more spellings are tried,
 * and corrections take longer.
 */
const ONE_OF = 500;

export class Letters {
  /** The most frequent letters, the most frequent first. */
  readonly alphabet: readonly string[];
  readonly #numbers: ReadonlyMap<string, number>;
  /** How often one letter follows another, by the numbers of both. */
  readonly #pairs: Uint32Array;
  readonly #least: number;

  /** `codes` are the code points of all terms; term i begins at `starts[i]`. */
  constructor(codes: Uint32Array, starts: Uint32Array) {
    const counts = new Map<number, number>();
    for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
    const known = [...counts]
      .filter(([code]) => /\p{L}/u.test(String.fromCodePoint(code)))
      .sort(([a, few], [b, many]) => many - few || a - b)
      .slice(0, MOST_LETTERS);
    this.alphabet = known.map(([code]) => String.fromCodePoint(code));
    this.#numbers = new Map(this.alphabet.map((letter, number) => [letter, number]));
    this.#least = starts.length / ONE_OF;
    this.#pairs = new Uint32Array(MOST_LETTERS ** 2);
    const numbers = new Map(known.map(([code], number) => [code, number]));
    const numberOf = Int8Array.from(codes, (code) => numbers.get(code) ?? -1);
    for (let term = 0; term + 1 < starts.length; term++) {
      for (let at = starts[term] + 1; at < starts[term + 1]; at++)
        if (numberOf[at - 1] >= 0 && numberOf[at] >= 0)
          this.#pairs[numberOf[at - 1] * MOST_LETTERS + numberOf[at]]++;
    }
  }

  /** Whether the letters often stand next to each other. Nothing, or what is not in the alphabet, stands next to all. */
  areNeighbors(left: string | undefined, right: string | undefined): boolean {
    const [first, second] = [this.#numbers.get(left ?? ""), this.#numbers.get(right ?? "")];
    if (first === undefined || second === undefined) return true;
    return this.#pairs[first * MOST_LETTERS + second] >= this.#least;
  }
}
