// The record that an index keeps of an analyzer with a name: its options, and the version of its rules. Opened later, or elsewhere,
// it cuts queries as it cut the documents.

import { checkBoolean, checkTextList, type KnownOptions } from "../../support/options/options.ts";
import type { Analyzer } from "./analyzer.ts";

/** What can be chosen about an analyzer with a name. An index records it. */
export interface AnalyzerOptions {
  /** Words that are dropped, instead of the analyzer's own list. An empty list drops none. */
  readonly stopWords?: readonly string[] | undefined;
  /** Words that are not stemmed. */
  readonly protectedWords?: readonly string[] | undefined;
  /** Whether é and e are one letter; true by default for `universal`. By default each other language decides for itself. */
  readonly foldAccents?: boolean | undefined;
}

/** The names of the options. */
export const ANALYZER_OPTIONS: KnownOptions<AnalyzerOptions> = {
  stopWords: true,
  protectedWords: true,
  foldAccents: true,
};

/** Throws if an option of an analyzer with a name is wrong. */
export function checkAnalyzerOptions({ foldAccents, ...lists }: AnalyzerOptions): void {
  for (const name of ["stopWords", "protectedWords"] as const)
    if (lists[name] !== undefined) checkTextList(name, "words", lists[name]);
  checkBoolean("foldAccents", foldAccents);
}

/** The version of the rules of all analyzers with a name. It rises when a text would give other terms. */
export const ANALYZER_RULES = 2;

const made = new WeakMap<Analyzer, AnalyzerOptions>();

/** Notes that an analyzer can be made again from its name and these options. */
export function markNamed(analyzer: Analyzer, options: AnalyzerOptions): Analyzer {
  made.set(analyzer, options);
  return analyzer;
}

/** The options that an analyzer was made with; undefined if it cannot be made from a name. */
export function recordedOptions(analyzer: Analyzer): AnalyzerOptions | undefined {
  return made.get(analyzer);
}
