// English text → terms, like Lucene's EnglishAnalyzer: it splits words, removes possessives, lower-cases, drops stop words
// and applies Porter's stemmer. test/golden/lucene-english.json holds Lucene's own output.

import type { Analyzer } from "../contract/analyzer.ts";
import { checkTextToAnalyze } from "../contract/check-text-to-analyze.ts";
import type { Language } from "../languages/language-rules.ts";
import { ENGLISH_ENDINGS, stem } from "../languages/porter.ts";
import { lowerCase } from "../letters/fold.ts";
import { cacheTerms } from "../words/term-cache.ts";
import { eachWord } from "../words/word-boundaries.ts";

/** Lucene's stop words for English. */
export const ENGLISH_STOP_WORDS: readonly string[] = (
  "a an and are as at be but by for if in into is it no not of on or such " +
  "that the their then there these they this to was will with"
).split(" ");
const STOP_WORDS: ReadonlySet<string> = new Set(ENGLISH_STOP_WORDS);

export const english: Analyzer = {
  name: "english",
  terms(text) {
    checkTextToAnalyze(text);
    const terms: string[] = [];
    eachWord(text, (start, end) => {
      const term = cachedTermOf(text.slice(start, end));
      if (term !== "") terms.push(term);
    });
    return terms;
  },
  eachTerm(text, emit) {
    checkTextToAnalyze(text);
    eachWord(text, (start, end) => {
      const term = cachedTermOf(text.slice(start, end));
      if (term !== "") emit(term, start, end);
    });
  },
  words: {
    eachWord(text, word) {
      checkTextToAnalyze(text);
      eachWord(text, word);
    },
    termOf: (word) => cachedTermOf(word),
  },
  beginnings: (letters) => [lowerCase(letters)],
  endings: ENGLISH_ENDINGS,
  keepsBeginnings: true,
};

/** The rules of English, for an analyzer with options. */
export const ENGLISH_RULES: Language = {
  stopWords: ENGLISH_STOP_WORDS.join(" "),
  normalize: (word) => lowerCase(word.replace(/['’＇][sS]$/u, "")),
  stem,
  endings: ENGLISH_ENDINGS,
  keepsCharacters: true,
};

/** The term of a word; "" for a stop word. */
function termOf(word: string): string {
  const lower = lowerCase(word.replace(/['’＇][sS]$/u, ""));
  return STOP_WORDS.has(lower) ? "" : stem(lower);
}

const cachedTermOf = cacheTerms(termOf);
