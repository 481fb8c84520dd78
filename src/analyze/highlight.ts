// A text and terms → the ranges of the words that became one of the terms, to be highlighted.

import type { Analyzer } from "./analyzer.ts";

/** [start, end) in UTF-16 units. */
export type Range = readonly [start: number, end: number];

/** The ranges of matching words, in order. An analyzer without `eachTerm` gets the text word by word. */
export function highlight(analyzer: Analyzer, text: string, terms: ReadonlySet<string>): Range[] {
  const ranges: Range[] = [];
  if (analyzer.eachTerm) {
    analyzer.eachTerm(text, (term, start, end) => {
      if (terms.has(term)) ranges.push([start, end]);
    });
    return ranges;
  }
  for (const { 0: word, index } of text.matchAll(/\S+/gu)) {
    if (analyzer.terms(word).some((term) => terms.has(term))) ranges.push([index, index + word.length]);
  }
  return ranges;
}
