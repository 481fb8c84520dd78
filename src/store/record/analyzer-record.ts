// The analyzer of an index ↔ JSON, for commit records and exports.

import { english } from "../../analyze/analyzers/english.ts";
import { whitespace } from "../../analyze/analyzers/whitespace.ts";
import { WordPiece, type WordPieceOptions } from "../../analyze/analyzers/wordpiece.ts";
import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import {
  ANALYZER_RULES,
  type AnalyzerOptions,
  markNamed,
  recordedOptions,
} from "../../analyze/contract/named-analyzer.ts";
import { loadAnalyzer, usesDictionary } from "../../analyze/load-analyzer.ts";
import { dictionaryFingerprint } from "../../analyze/words/word-dictionary.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";

export interface AnalyzerRecord {
  readonly name: string;
  readonly options?: WordPieceOptions | AnalyzerOptions;
  /** The version of the rules, for all but `english`, `whitespace` and word pieces, which never change. */
  readonly rules?: number;
  /** Which dictionary of words the JavaScript engine had, if the analyzer may use it. */
  readonly dictionary?: string;
  /** Present if it is the caller's own analyzer. Whoever opens the index must give it again. */
  readonly isCustom?: true;
}

export function createAnalyzerRecord(analyzer: Analyzer): AnalyzerRecord {
  const { name } = analyzer;
  if (analyzer instanceof WordPiece) return { name, options: analyzer.options };
  if (analyzer === english || analyzer === whitespace) return { name };
  const options = recordedOptions(analyzer);
  if (!options) return { name, isCustom: true };
  const dictionary = usesDictionary(name) ? recordedDictionary(analyzer) : undefined;
  return {
    name,
    rules: ANALYZER_RULES,
    ...(Object.keys(options).length > 0 && { options }),
    ...(dictionary !== undefined && { dictionary }),
  };
}

/** Whether an analyzer is one of ours, word pieces apart: a page loads them only for an index that has them. */
function isBuiltIn(analyzer: Analyzer): boolean {
  return analyzer === english || analyzer === whitespace || recordedOptions(analyzer) !== undefined;
}

/** The dictionary that cut the documents of an index whose queries are cut by another one. */
const recordedDictionaries = new WeakMap<Analyzer, string>();

function recordedDictionary(analyzer: Analyzer): string | undefined {
  return recordedDictionaries.get(analyzer) ?? dictionaryFingerprint();
}

/**
 * The analyzer of a record, word pieces apart. `given` is the analyzer that the caller opens the index with: it must be there if
 * the index has one of the caller's own.
 */
export async function loadRecordedAnalyzer(
  record: AnalyzerRecord,
  given: Analyzer | undefined,
  where: string,
): Promise<Analyzer> {
  const { name, rules, dictionary, isCustom } = record;
  if (isCustom) {
    // One of ours may have the same name: it cuts text in another way.
    const isBuiltInGiven = given !== undefined && isBuiltIn(given);
    if (given?.name === name && !isBuiltInGiven) return given;
    const found = given ? `, not ${isBuiltInGiven ? "the built-in " : ""}${given.name}` : "";
    throw new SluiceError(
      `${where}: the index was made with an analyzer of your own, ${name}${found}`,
      `give it again: { analyzer: { name: ${JSON.stringify(name)}, terms } }`,
    );
  }
  if (rules !== undefined && rules !== ANALYZER_RULES) {
    throw new SluiceError(
      `${where}: the analyzer ${name} cut its documents by rules of version ${rules}; this build has version ${ANALYZER_RULES}`,
      "build the index again, or use the version of Sluice that made it",
    );
  }
  const analyzer = await loadAnalyzer(name, record.options as AnalyzerOptions | undefined);
  if (dictionary === undefined || dictionary === dictionaryFingerprint()) return analyzer;
  // A copy, so that the notice is about this index alone.
  const own = markNamed({ ...analyzer }, recordedOptions(analyzer) ?? {});
  recordedDictionaries.set(own, dictionary);
  return own;
}

/** What to tell users of an index whose queries are cut by another dictionary than its documents; undefined if they are not. */
export function analyzerNotice(analyzer: Analyzer): string | undefined {
  if (!recordedDictionaries.has(analyzer)) return undefined;
  return (
    `the documents were cut by another version of the dictionary than this JavaScript engine has; questions in ` +
    `languages without spaces may miss some of them; build the index where it is searched`
  );
}

/**
 * - `open`: new terms of documents are added
 * - `given`: the user gave it; other terms are left out
 * - `sealed`: it came from the first documents, and its slicing has no cells for more; other terms are errors
 */
export type VocabularyKind = "open" | "given" | "sealed";
