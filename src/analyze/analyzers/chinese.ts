// Chinese: the words of a dictionary beside pairs of characters. Together they measured better than pairs alone. Other scripts
// are cut as by `universal`.

import type { Analyzer } from "../contract/analyzer.ts";
import type { AnalyzerOptions } from "../contract/named-analyzer.ts";
import { eachPair } from "../words/character-pairs.ts";
import { eachDictionaryWord } from "../words/word-dictionary.ts";
import { makeUniversal } from "./universal.ts";

export function makeChinese(options: AnalyzerOptions): Analyzer {
  return makeUniversal(options, {
    name: "chinese",
    eachPair(text, start, end, emit) {
      eachPair(text, start, end, emit);
      eachDictionaryWord(text, start, end, emit);
    },
  });
}
