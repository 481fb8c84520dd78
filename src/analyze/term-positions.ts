// A text → its terms and their positions. A position counts words, those that the analyzer drops included, so "state of art"
// has art two positions after state, as in Lucene. Terms that begin at the same character have the same position.

import { firstAtLeast } from "../support/numbers/sorted.ts";
import { english } from "./analyzers/english.ts";
import type { Analyzer } from "./contract/analyzer.ts";
import { recordedOptions } from "./contract/named-analyzer.ts";
import { eachWord } from "./words/word-boundaries.ts";

/** A term, and the position of its word. */
export interface PositionedTerm {
  readonly term: string;
  readonly position: number;
}

/** The terms of a text with their positions, in the order of `analyzer.terms`. */
export function termPositions(analyzer: Analyzer, text: string): PositionedTerm[] {
  const { eachTerm } = analyzer;
  // Word pieces and analyzers of a user's own emit some of their terms only, or cut words elsewhere.
  const isOurs = analyzer === english || recordedOptions(analyzer) !== undefined;
  if (!eachTerm || !isOurs) return analyzer.terms(text).map((term, position) => ({ term, position }));
  const words: number[] = [];
  eachWord(analyzer.prepare?.(text) ?? text, (start) => words.push(start));
  const found: { term: string; start: number }[] = [];
  let isWithin = false; // whether a term begins within a word, as a pair of characters does
  let at = 0;
  eachTerm.call(analyzer, text, (term, start) => {
    while (at > 0 && words[at] > start) at--;
    while (at < words.length && words[at] < start) at++;
    if (words[at] !== start) isWithin = true;
    found.push({ term, start });
  });
  const starts = isWithin ? ascending([...words, ...found.map(({ start }) => start)]) : words;
  return found.map(({ term, start }) => ({ term, position: firstAtLeast(starts, start) }));
}

/** The numbers in ascending order, each once. */
function ascending(numbers: readonly number[]): Uint32Array {
  return Uint32Array.from(new Set(numbers)).sort();
}
