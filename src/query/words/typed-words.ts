// The text of a query → its words: where each is, the term it became, and how it would be spelled in lower case.

import type { Analyzer } from "../../analyze/contract/analyzer.ts";

export interface TypedWord {
  /** The word, spelled as the user typed it. */
  readonly word: string;
  /** `word`, in lower case if the analyzer ignores case. */
  readonly folded: string;
  /** The beginnings of terms of words that begin with this word. The first is the likeliest spelling of the word itself. */
  readonly beginnings: readonly string[];
  readonly term: string;
  /** [start, end) in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Whether the text ends with the word, so that the user may still be typing it. */
  readonly isLast: boolean;
}

/** The words of a text, in order. Words that the analyzer drops, such as stop words, are left out. */
export function splitTypedWords(analyzer: Analyzer, text: string): TypedWord[] {
  const words: TypedWord[] = [];
  eachWordOf(analyzer, text, (term, start, end) => {
    const word = text.slice(start, end);
    const folded = foldTypedWord(analyzer, word, term);
    const beginnings = findBeginnings(analyzer, word, folded);
    words.push({ word, folded, beginnings, term, start, end, isLast: end === text.length });
  });
  return words;
}

function findBeginnings(analyzer: Analyzer, word: string, folded: string): readonly string[] {
  const [first, ...others] = (analyzer.beginnings?.(word) ?? [folded]).filter((letters) => letters !== "");
  return first === undefined ? [folded] : [first, ...others];
}

function eachWordOf(
  analyzer: Analyzer,
  text: string,
  emit: (term: string, start: number, end: number) => void,
): void {
  if (analyzer.eachTerm) {
    analyzer.eachTerm(text, emit);
    return;
  }
  for (const { 0: word, index } of text.matchAll(/\S+/gu))
    for (const term of analyzer.terms(word)) emit(term, index, index + word.length);
}

/** The word in lower case, if that gives the same term. */
function foldTypedWord(analyzer: Analyzer, word: string, term: string): string {
  const lower = word.toLowerCase().replaceAll("i\u0307", "i"); // of İ
  return lower !== word && analyzer.terms(lower)[0] === term ? lower : word;
}
