// A text and terms → the ranges of the words that became one of the terms, to be highlighted.

import type { Analyzer } from "./contract/analyzer.ts";

/** [start, end) in UTF-16 units. */
export type TextRange = readonly [start: number, end: number];

/**
 * The ranges of matching words, in order. Ranges that overlap, like those of pairs of characters, become one. An analyzer
 * without `eachTerm` gets the text word by word.
 */
export function highlight(analyzer: Analyzer, text: string, terms: ReadonlySet<string>): TextRange[] {
  if (!analyzer.eachTerm) return highlightPieces(analyzer, text, terms);
  const ranges: TextRange[] = [];
  const singles: TextRange[] = [];
  let hasPair = false;
  analyzer.eachTerm(text, (term, start, end) => {
    if (!terms.has(term)) return;
    if (SINGLE.test(term)) singles.push([start, end]);
    else ranges.push([start, end]);
    hasPair ||= PAIR.test(term);
  });
  return joinedRanges(hasPair ? ranges : [...ranges, ...singles]);
}

/** A Chinese character alone occurs in many words, so it is marked only in a text that has no pair of the query. */
const SINGLE = /^\p{Script=Han}$/u;
const PAIR = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{2}$/u;

function highlightPieces(analyzer: Analyzer, text: string, terms: ReadonlySet<string>): TextRange[] {
  const ranges: TextRange[] = [];
  for (const { 0: word, index } of text.matchAll(/\S+/gu)) {
    if (analyzer.terms(word).some((term) => terms.has(term))) ranges.push([index, index + word.length]);
  }
  return ranges;
}

/** Ranges that overlap, as one. Those that only touch stay apart. */
function joinedRanges(ranges: readonly TextRange[]): TextRange[] {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const result: [number, number][] = [];
  for (const [start, end] of sorted) {
    const last = result.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}
