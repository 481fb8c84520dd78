// Exponents of word pieces → factors of terms, which multiply BM25's weights. An anchored encoder reads a text as word pieces
// and gives each an exponent. The index's analyzer says what a word is. An occurrence of a term takes the exponent of the
// piece in which its word begins:
//
//   factor(term) = the mean of exp(exponent) over the term's occurrences
//
// With all exponents 0 every factor is exactly 1, and the index is BM25. A word beyond the longest text that the model reads takes
// the mean factor of the words that it reads, so that the end of a long text weighs neither more nor less than its beginning.

import { english } from "../../analyze/analyzers/english.ts";
import { whitespace } from "../../analyze/analyzers/whitespace.ts";
import type { Analyzer } from "../../analyze/contract/analyzer.ts";

/** The analyzers whose words can be found in a text. */
const ANALYZERS = { english, whitespace } as const;

export type AnchoredAnalyzer = keyof typeof ANALYZERS;

export const ANCHORED_ANALYZERS = Object.keys(ANALYZERS) as readonly AnchoredAnalyzer[];

export function createAnchoredAnalyzer(name: AnchoredAnalyzer): Analyzer {
  return ANALYZERS[name];
}

/** The words of a text, in order, each with the number of the piece in which it begins. */
export interface WordsInPieces {
  readonly terms: readonly string[];
  /** NO_PIECE for words that begin in no piece, or in one that was cut off. */
  readonly pieces: readonly number[];
}

export const NO_PIECE = -1;

/**
 * Finds the words of a text among its pieces. `starts` is where each piece begins; the text begins at `from` of what was cut
 * into pieces, behind a prefix. The model reads the first `kept` pieces.
 */
export function findWordsInPieces(
  analyzer: Analyzer,
  text: string,
  starts: readonly number[],
  { from, kept }: { readonly from: number; readonly kept: number },
): WordsInPieces {
  const [terms, pieces]: [string[], number[]] = [[], []];
  let piece = NO_PIECE;
  analyzer.eachTerm!(text, (term, start) => {
    while (piece + 1 < starts.length && starts[piece + 1] <= from + start) piece++;
    terms.push(term);
    pieces.push(piece < kept ? piece : NO_PIECE);
  });
  return { terms, pieces };
}

/** The factor of each term. `exponents` is by piece. */
export function computeTermFactors(
  { terms, pieces }: WordsInPieces,
  exponents: ArrayLike<number>,
): Map<string, number> {
  const counts = new Map<string, number>();
  const sums = new Map<string, number>();
  const read = pieces.filter((piece) => piece !== NO_PIECE);
  const unread = read.length === 0 ? 1 : meanFactor(read, exponents);
  for (const [i, term] of terms.entries()) {
    const factor = pieces[i] === NO_PIECE ? unread : Math.exp(exponents[pieces[i]]);
    counts.set(term, (counts.get(term) ?? 0) + 1);
    sums.set(term, (sums.get(term) ?? 0) + factor);
  }
  return new Map(Array.from(sums, ([term, sum]) => [term, sum / counts.get(term)!]));
}

function meanFactor(pieces: readonly number[], exponents: ArrayLike<number>): number {
  let sum = 0;
  for (const piece of pieces) sum += Math.exp(exponents[piece]);
  return sum / pieces.length;
}
