// Where the terms of a phrase stand in a document → how far they are from being the phrase.
//
// A term that stands at p and belongs at the offset o of the phrase puts the beginning of the phrase at p − o. The gap is the
// distance between the least and the greatest of these beginnings: 0 if the words stand as in the phrase. A word that the
// phrase has twice needs two places in the document. The gap of a document is the least that any choice of places gives;
// Lucene calls it the match length, and a phrase with slop s is a match if it is at most s.

import { firstAtLeast } from "../../support/numbers/sorted.ts";

/** One term of a phrase: its offset, and its positions in a document, ascending. Equal terms share the same array. */
export interface PhraseTermAt {
  readonly offset: number;
  readonly positions: ArrayLike<number>;
}

/** The definition: tries all choices of places. Undefined if a term has none left. */
export function findPhraseGapByDefinition(terms: readonly PhraseTermAt[]): number | undefined {
  let least: number | undefined;
  const choose = (at: number, chosen: readonly number[]) => {
    if (at === terms.length) {
      const begins = chosen.map((position, i) => position - terms[i].offset);
      const gap = Math.max(...begins) - Math.min(...begins);
      if (least === undefined || gap < least) least = gap;
      return;
    }
    for (const position of Array.from(terms[at].positions)) {
      const isTaken = chosen.some(
        (other, i) => other === position && terms[i].positions === terms[at].positions,
      );
      if (!isTaken) choose(at + 1, [...chosen, position]);
    }
  };
  choose(0, []);
  return least;
}

/**
 * The gap of a phrase, if it is at most `slop`; undefined otherwise. For each possible beginning, every term takes the first
 * place from there on that no equal term before it took: terms are in the order of their offsets, so no other choice is nearer.
 */
export function findPhraseGap(terms: readonly PhraseTermAt[], slop: number): number | undefined {
  let least = slop + 1;
  // Without slop, all terms agree on the beginning, so the beginnings of one term are all beginnings.
  const sources = slop === 0 ? [rarest(terms)] : terms;
  const taken: number[] = [];
  for (const { offset, positions } of sources) {
    for (let i = 0; i < positions.length && least > 0; i++) {
      const gap = gapFrom(terms, positions[i] - offset, least, taken);
      if (gap < least) least = gap;
    }
  }
  return least <= slop ? least : undefined;
}

function rarest(terms: readonly PhraseTermAt[]): PhraseTermAt {
  return terms.reduce((best, each) => (each.positions.length < best.positions.length ? each : best));
}

/**
 * The gap if the phrase begins at `begin` or later; `most` if it is not below that. `taken`, the place of each term, is scratch
 * space.
 */
function gapFrom(terms: readonly PhraseTermAt[], begin: number, most: number, taken: number[]): number {
  let gap = 0;
  for (let term = 0; term < terms.length; term++) {
    const { offset, positions } = terms[term];
    let at = firstAtLeast(positions, begin + offset);
    for (let other = 0; other < term; other++)
      if (terms[other].positions === positions && taken[other] >= at) at = taken[other] + 1;
    if (at >= positions.length) return most;
    taken[term] = at;
    gap = Math.max(gap, positions[at] - offset - begin);
    if (gap >= most) return most;
  }
  return gap;
}
