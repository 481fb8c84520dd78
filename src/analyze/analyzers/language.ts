// The rules of a language → its analyzer. Words are cut at Unicode's boundaries, brought into their normal form, dropped if they
// are stop words, and stemmed: the order of Lucene's analyzers.

import type { Analyzer, EmitTerm } from "../contract/analyzer.ts";
import { checkTextToAnalyze } from "../contract/check-text-to-analyze.ts";
import { type AnalyzerOptions, markNamed } from "../contract/named-analyzer.ts";
import type { Language } from "../languages/language-rules.ts";
import { foldAccents, lowerCase } from "../letters/fold.ts";
import { stripInvisible } from "../letters/strip-invisible.ts";
import { cacheTerms } from "../words/term-cache.ts";
import { eachWord } from "../words/word-boundaries.ts";

/** Makes the analyzer of a language. */
export function makeLanguage(name: string, language: Language, options: AnalyzerOptions): Analyzer {
  const {
    normalize: normalizeLetters = lowerCase,
    stem,
    stemLetters,
    endings,
    prepare,
    keepsCharacters,
  } = language;
  // Marks are typed apart from their letters on some systems. Words are remembered, so this is done once for each.
  const normalize = keepsCharacters
    ? normalizeLetters
    : (word: string) => normalizeLetters(stripInvisible(word).normalize("NFC"));
  const stopWords = new Set((options.stopWords ?? language.stopWords.trim().split(/\s+/)).map(normalize));
  const protectedWords = new Set((options.protectedWords ?? []).map(normalize));
  const termOf = cacheTerms((word) => {
    const normal = normalize(word);
    if (normal === "" || stopWords.has(normal)) return "";
    const term = protectedWords.has(normal) ? normal : stem(normal);
    return options.foldAccents ? foldAccents(term) : term;
  });
  const eachTerm = (given: string, emit: EmitTerm) => {
    checkTextToAnalyze(given);
    const text = prepare ? prepare(given) : given;
    eachWord(text, (start, end) => {
      const term = termOf(text.slice(start, end));
      if (term !== "") emit(term, start, end);
    });
  };
  const analyzer: Analyzer = {
    name,
    terms(text) {
      const terms: string[] = [];
      eachTerm(text, (term) => terms.push(term));
      return terms;
    },
    eachTerm,
    words: {
      eachWord(text, word) {
        checkTextToAnalyze(text);
        eachWord(text, word);
      },
      termOf,
    },
    ...(prepare && { prepare }),
    ...(endings && { endings }),
    beginnings(letters) {
      const normal = normalize(letters);
      // Stems of short words keep their letters.
      const forms = stemLetters ? [normal, stemLetters(normal)] : [normal];
      return [...new Set(options.foldAccents ? forms.map(foldAccents) : forms)];
    },
  };
  return markNamed(analyzer, options);
}
