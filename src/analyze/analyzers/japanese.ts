// Japanese: the words of a dictionary beside pairs of characters. Words in Hiragana alone are mostly grammar: they are found by
// their pairs. Other scripts are cut as by `universal`.

import type { Analyzer } from "../contract/analyzer.ts";
import type { AnalyzerOptions } from "../contract/named-analyzer.ts";
import { eachPair } from "../words/character-pairs.ts";
import { eachDictionaryWord } from "../words/word-dictionary.ts";
import { makeUniversal } from "./universal.ts";

const HIRAGANA = /^\p{Script=Hiragana}+$/u;

export function makeJapanese(options: AnalyzerOptions): Analyzer {
  return makeUniversal(options, {
    name: "japanese",
    eachPair(text, start, end, emit) {
      eachPair(text, start, end, emit);
      eachDictionaryWord(text, start, end, (word, from, to) => {
        if (!HIRAGANA.test(word)) emit(word, from, to);
      });
    },
  });
}
