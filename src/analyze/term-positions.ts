// A text → its terms and their positions. A position counts words, those that the analyzer drops included, so "state of art"
// has art two positions after state, as in Lucene. Terms that begin at the same character have the same position.

import { firstAtLeast } from "../support/numbers/sorted.ts";
import { english } from "./analyzers/english.ts";
import { whitespace } from "./analyzers/whitespace.ts";
import type { Analyzer } from "./contract/analyzer.ts";
import { recordedOptions } from "./contract/named-analyzer.ts";
import { cutText } from "./text-pieces.ts";
import { eachWord } from "./words/word-boundaries.ts";

/** A term, and the position of its word. */
interface PositionedTerm {
  readonly term: string;
  readonly position: number;
}

/** Terms of a text, or of a piece of it. */
interface PlacedTerms {
  readonly terms: readonly string[];
  /** The positions of the terms, if they were asked for. They count from the beginning of the whole text. */
  readonly positions?: readonly number[];
}

/** The terms of a text with their positions, in the order of `analyzer.terms`. */
export function termPositions(analyzer: Analyzer, text: string): PositionedTerm[] {
  const { terms, positions } = placeTerms(analyzer, text);
  return terms.map((term, i) => ({ term, position: positions[i] }));
}

/** The terms of a text, piece by piece. A user's own analyzer gets the whole text as one piece. */
export function* termsInPieces(
  analyzer: Analyzer,
  text: string,
  needsPositions: boolean,
): Generator<PlacedTerms> {
  let before = 0; // the positions of the pieces before
  for (const piece of emitsAllWords(analyzer) || analyzer === whitespace
    ? cutText(text, analyzer === english)
    : [text]) {
    if (!needsPositions) {
      yield { terms: analyzer.terms(piece) };
      continue;
    }
    const { terms, positions, count } = placeTerms(analyzer, piece);
    yield { terms, positions: before === 0 ? positions : positions.map((position) => before + position) };
    before += count;
  }
}

/** False for word pieces and a user's own analyzers: they emit only some terms, or cut words elsewhere. */
function emitsAllWords(analyzer: Analyzer): boolean {
  return analyzer === english || recordedOptions(analyzer) !== undefined;
}

/** The terms of a text, their positions, and how many positions the text has. */
function placeTerms(
  analyzer: Analyzer,
  text: string,
): { readonly terms: string[]; readonly positions: number[]; readonly count: number } {
  const { eachTerm } = analyzer;
  if (!eachTerm || !emitsAllWords(analyzer)) {
    const terms = analyzer.terms(text);
    return { terms, positions: terms.map((_, position) => position), count: terms.length };
  }
  const words: number[] = [];
  eachWord(analyzer.prepare?.(text) ?? text, (start) => words.push(start));
  const [terms, begins]: [string[], number[]] = [[], []];
  let isWithin = false; // whether a term begins within a word, as a pair of characters does
  let at = 0;
  eachTerm.call(analyzer, text, (term, start) => {
    while (at > 0 && words[at] > start) at--;
    while (at < words.length && words[at] < start) at++;
    if (words[at] !== start) isWithin = true;
    terms.push(term);
    begins.push(start);
  });
  const starts = isWithin ? ascending([...words, ...begins]) : words;
  return { terms, positions: begins.map((start) => firstAtLeast(starts, start)), count: starts.length };
}

/** The numbers in ascending order, each once. */
function ascending(numbers: readonly number[]): Uint32Array {
  return Uint32Array.from(new Set(numbers)).sort();
}
