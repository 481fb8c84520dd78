// English text → terms, like Lucene's EnglishAnalyzer: words, possessives cut off, lower case, stop words out,
// Porter's stemmer. test/golden/lucene-english.json holds what Lucene itself says.

import { flat } from "../support/flat.ts";
import type { Analyzer } from "./analyzer.ts";
import { stem } from "./porter.ts";
import { eachWord } from "./word-boundaries.ts";

const STOP_WORDS = new Set(
  (
    "a an and are as at be but by for if in into is it no not of on or such " +
    "that the their then there these they this to was will with"
  ).split(" "),
);

/** Words repeat: most of the work is a look-up. Cleared when full, so that a strange corpus cannot fill the memory. */
const KEPT = 200_000;
const kept = new Map<string, string>();

export const english: Analyzer = {
  name: "english",
  terms(text) {
    const terms: string[] = [];
    eachWord(text, (start, end) => {
      const term = keptTermOf(text.slice(start, end));
      if (term !== "") terms.push(term);
    });
    return terms;
  },
  eachTerm(text, emit) {
    eachWord(text, (start, end) => {
      const term = keptTermOf(text.slice(start, end));
      if (term !== "") emit(term, start, end);
    });
  },
};

function keptTermOf(word: string): string {
  let term = kept.get(word);
  if (term === undefined) {
    if (kept.size >= KEPT) kept.clear();
    term = termOf(word);
    kept.set(flat(word), term);
  }
  return term;
}

/** The term of one word; nothing for a stop word. */
function termOf(word: string): string {
  const lower = lowerCase(word.replace(/['’＇][sS]$/u, ""));
  if (STOP_WORDS.has(lower)) return "";
  return stem(lower);
}

/** Character by character as Java does it: no final sigma, and İ becomes i. */
function lowerCase(word: string): string {
  let lower = "";
  for (const character of word) lower += String.fromCodePoint(character.toLowerCase().codePointAt(0)!);
  return lower;
}
