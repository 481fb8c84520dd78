// English text → terms, like Lucene's EnglishAnalyzer: it splits words, removes possessives, lower-cases, drops stop words
// and applies Porter's stemmer. test/golden/lucene-english.json holds Lucene's own output.

import { flatCopy } from "../support/flat.ts";
import type { Analyzer } from "./analyzer.ts";
import { stem } from "./porter.ts";
import { eachWord } from "./word-boundaries.ts";

const STOP_WORDS = new Set(
  (
    "a an and are as at be but by for if in into is it no not of on or such " +
    "that the their then there these they this to was will with"
  ).split(" "),
);

/**
 * The most words in the cache, which is cleared when it is full. Words repeat, so most of the work is a look-up. Larger: more
 * memory. Smaller: a corpus with more different words stems them again and again.
 */
const CACHED_WORDS = 200_000;
const cache = new Map<string, string>();

export const english: Analyzer = {
  name: "english",
  terms(text) {
    const terms: string[] = [];
    eachWord(text, (start, end) => {
      const term = cachedTermOf(text.slice(start, end));
      if (term !== "") terms.push(term);
    });
    return terms;
  },
  eachTerm(text, emit) {
    eachWord(text, (start, end) => {
      const term = cachedTermOf(text.slice(start, end));
      if (term !== "") emit(term, start, end);
    });
  },
};

function cachedTermOf(word: string): string {
  let term = cache.get(word);
  if (term === undefined) {
    if (cache.size >= CACHED_WORDS) cache.clear();
    term = termOf(word);
    cache.set(flatCopy(word), term);
  }
  return term;
}

/** The term of a word; "" for a stop word. */
function termOf(word: string): string {
  const lower = lowerCase(word.replace(/['’＇][sS]$/u, ""));
  if (STOP_WORDS.has(lower)) return "";
  return stem(lower);
}

/** Lower-cases character by character, as Java does: no final sigma, and İ becomes i. */
function lowerCase(word: string): string {
  let lower = "";
  for (const character of word) lower += String.fromCodePoint(character.toLowerCase().codePointAt(0)!);
  return lower;
}
