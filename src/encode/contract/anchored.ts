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
import { cutText } from "../../analyze/text-pieces.ts";
import { runToEnd } from "../../support/work/turns.ts";

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
  /** How often each word occurs in the part that the model does not read, if these words are not in `terms`. */
  readonly unread?: ReadonlyMap<string, number>;
}

/** Where the pieces of a text are. */
interface PlaceOfPieces {
  /** Where the text begins in what was cut into pieces: behind the prefix, if there is one. */
  readonly from: number;
  /** How many pieces the model reads. */
  readonly kept: number;
}

export const NO_PIECE = -1;

/** Finds the words of a text among its pieces. `starts` is where each piece begins. */
export function findWordsInPieces(
  analyzer: Analyzer,
  text: string,
  starts: readonly number[],
  place: PlaceOfPieces,
): WordsInPieces {
  const [terms, pieces]: [string[], number[]] = [[], []];
  const take = (term: string, piece: number) => {
    terms.push(term);
    pieces.push(piece < place.kept ? piece : NO_PIECE);
  };
  runToEnd(eachWordInPieces(analyzer, text, starts, place, take));
  return { terms, pieces };
}

/** The same in steps: it yields within a long text, so that other work can run. Words that the model does not read are counted. */
export function* findWordsInSteps(
  analyzer: Analyzer,
  text: string,
  starts: readonly number[],
  place: PlaceOfPieces,
): Generator<undefined, WordsInPieces> {
  const [terms, pieces]: [string[], number[]] = [[], []];
  const unread = new Map<string, number>();
  yield* eachWordInPieces(analyzer, text, starts, place, (term, piece) => {
    if (piece >= place.kept) {
      unread.set(term, (unread.get(term) ?? 0) + 1);
    } else {
      terms.push(term);
      pieces.push(piece);
    }
  });
  return { terms, pieces, unread };
}

/** Calls `take` with each word and its piece. It yields after each part of a long text. */
function* eachWordInPieces(
  analyzer: Analyzer,
  text: string,
  starts: readonly number[],
  { from }: PlaceOfPieces,
  take: (term: string, piece: number) => void,
): Generator<undefined, void> {
  let piece = NO_PIECE;
  let begin = from;
  for (const part of cutText(text, analyzer === english)) {
    if (begin > from) yield;
    analyzer.eachTerm!(part, (term, start) => {
      while (piece + 1 < starts.length && starts[piece + 1] <= begin + start) piece++;
      take(term, piece);
    });
    begin += part.length;
  }
}

/** The factor of each term. `exponents` is by piece. */
export function computeTermFactors(
  { terms, pieces, unread: behind = new Map() }: WordsInPieces,
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
  for (const [term, count] of behind) {
    let sum = sums.get(term) ?? 0;
    for (let i = 0; i < count; i++) sum += unread; // rounded as in the loop above
    counts.set(term, (counts.get(term) ?? 0) + count);
    sums.set(term, sum);
  }
  return new Map(Array.from(sums, ([term, sum]) => [term, sum / counts.get(term)!]));
}

function meanFactor(pieces: readonly number[], exponents: ArrayLike<number>): number {
  let sum = 0;
  for (const piece of pieces) sum += Math.exp(exponents[piece]);
  return sum / pieces.length;
}
