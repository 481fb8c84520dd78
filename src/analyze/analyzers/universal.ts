// Text of any script → terms; the default. Words are cut at Unicode's boundaries and folded, so that spellings which look alike
// are one term. Chinese, Japanese and Korean become pairs of characters; Thai, Lao, Khmer and Burmese are cut by a dictionary;
// words in Latin letters are stemmed as English. On plain English it gives the terms of `english`.

import type { Analyzer, EmitTerm, WordTerms } from "../contract/analyzer.ts";
import { checkTextToAnalyze } from "../contract/check-text-to-analyze.ts";
import { type AnalyzerOptions, markNamed } from "../contract/named-analyzer.ts";
import { ENGLISH_ENDINGS, stem } from "../languages/porter.ts";
import { foldWord } from "../letters/fold.ts";
import { plainForm } from "../letters/plain-form.ts";
import { lowerRaisedDigits } from "../letters/raised-digits.ts";
import { eachPair } from "../words/character-pairs.ts";
import { eachScriptTerm, eachScriptWord, type ScriptRules } from "../words/script-runs.ts";
import { cacheTerms } from "../words/term-cache.ts";
import { eachWord } from "../words/word-boundaries.ts";
import { ENGLISH_STOP_WORDS } from "./english.ts";

/** Text without a letter of the scripts that have rules of their own, and one letter before a hyphen. */
const SPACED_TEXT = /^[\0-\xff\u2012-\u2044]*$/;
/** A letter before a hyphen, at the beginning of a word. */
const INITIAL = /^(.)[-\u2010\u2011](?=.)/u;
const LETTER_AND_HYPHEN = /\b\w[-\u2010\u2011]\w/;

const UNFINISHED_THOUSANDS = /^\d{1,3}(?:,\d{3})*,\d{1,2}$/;

/** Words that English stems may change: they begin with a Latin letter or a digit. */
const LATIN = /^[\p{Script=Latin}\d]/u;

/** A universal analyzer with other rules for a script. */
interface Variant extends Partial<ScriptRules> {
  readonly name?: string;
  readonly stopWords?: readonly string[];
}

/** Makes a universal analyzer. */
export function makeUniversal(
  options: AnalyzerOptions = {},
  { name = "universal", stopWords: usual = ENGLISH_STOP_WORDS, ...own }: Variant = {},
): Analyzer {
  const accents = options.foldAccents ?? true;
  const fold = (word: string) => plainForm(foldWord(word, accents));
  const stopWords = new Set((options.stopWords ?? usual).map(fold));
  const protectedWords = new Set((options.protectedWords ?? []).map(fold));
  const termOf = cacheTerms((word) => {
    const plain = fold(word);
    if (stopWords.has(plain)) return "";
    return protectedWords.has(plain) || !LATIN.test(plain) ? plain : stem(plain);
  });
  const rules: ScriptRules = {
    termOf,
    eachPair,
    isStopWord: (word: string) => stopWords.has(word),
    ...own,
  };
  const eachTerm = (text: string, emit: EmitTerm) => {
    checkTextToAnalyze(text);
    eachScriptTerm(lowerRaisedDigits(text), rules, emit);
  };
  const words: WordTerms = {
    eachWord(text, word, term) {
      checkTextToAnalyze(text);
      // Most English text has no such letters, and needs a fifth less time this way. The terms are the same.
      if (SPACED_TEXT.test(text) && !LETTER_AND_HYPHEN.test(text)) eachWord(text, word);
      else eachScriptWord(text, rules, word, term);
    },
    termOf,
  };
  const analyzer: Analyzer = {
    name,
    terms(given) {
      checkTextToAnalyze(given);
      const text = lowerRaisedDigits(given);
      const terms: string[] = [];
      const add = (term: string) => {
        if (term !== "") terms.push(term);
      };
      words.eachWord(text, (start, end) => add(termOf(text.slice(start, end))), add);
      return terms;
    },
    eachTerm,
    words,
    prepare: lowerRaisedDigits,
    // "e-mai" is also "emai", as in script-runs.ts.
    beginnings(letters) {
      const folded = fold(lowerRaisedDigits(letters).replace(INITIAL, "$1"));
      // "4,50" may become 4,500, whose term is 4500.
      return UNFINISHED_THOUSANDS.test(folded) ? [folded, folded.replaceAll(",", "")] : [folded];
    },
    endings: ENGLISH_ENDINGS,
    keepsBeginnings: true,
  };
  return markNamed(analyzer, options);
}

/** The analyzer of a new index, unless another is named. */
export const universal: Analyzer = makeUniversal();
