// Sorted terms → the same by their length, as code points, each with how many of them it shares with the term before. A walk over
// terms of one length can then keep what it computed for the shared part, and leave out all terms whose beginning is already
// wrong.

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

/** Sorted terms and their ids → the same, by length. */
export function termsByLength(terms: readonly string[], ids: Uint32Array): TermsOfLength[] {
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
