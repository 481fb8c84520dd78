// The analyzer that a caller asks for, by name, as an object or as a function → an analyzer.

import { SluiceError } from "../support/errors/sluice-error.ts";
import { wrongValueError } from "../support/options/options.ts";
import { english } from "./analyzers/english.ts";
import { whitespace } from "./analyzers/whitespace.ts";
import { WordPiece } from "./analyzers/wordpiece.ts";
import type { Analyzer } from "./contract/analyzer.ts";
import { ANALYZER_NAMES, type AnalyzerName, DEFAULT_ANALYZER } from "./contract/analyzer-names.ts";
import { type AnalyzerOptions, checkAnalyzerOptions, recordedOptions } from "./contract/named-analyzer.ts";
import { loadAnalyzer, unknownAnalyzerError } from "./load-analyzer.ts";
import { wrapOwnAnalyzer } from "./own-analyzer.ts";

/** Throws if `analyzer` is neither a name nor an analyzer, or if an option of it is wrong. */
export function checkAnalyzer(analyzer: unknown, options: AnalyzerOptions): void {
  checkAnalyzerOptions(options);
  if (analyzer === undefined) return;
  if (typeof analyzer === "string") {
    if (!(ANALYZER_NAMES as readonly string[]).includes(analyzer)) throw unknownAnalyzerError(analyzer);
  } else if (typeof analyzer === "function") {
    if (!analyzer.name)
      throw new SluiceError("an analyzer that is a function needs a name", "give { name, terms }");
  } else {
    const { name, terms } = (analyzer ?? {}) as Partial<Analyzer>;
    if (typeof terms !== "function" || typeof name !== "string" || name === "")
      throw wrongValueError(
        "analyzer",
        "a name, an object with a name and a function terms, or a function",
        analyzer,
      );
  }
  if (typeof analyzer !== "string" && hasOptions(options)) {
    throw new SluiceError(
      "stopWords, protectedWords and foldAccents are for an analyzer that is given by name",
      "give the name, or let your analyzer do it",
    );
  }
}

/** The analyzer that was asked for; undefined if none was. */
export async function chooseAnalyzer(
  analyzer: AnalyzerName | Analyzer | ((text: string) => string[]) | undefined,
  options: AnalyzerOptions,
): Promise<Analyzer | undefined> {
  if (typeof analyzer === "function") return wrapOwnAnalyzer({ name: analyzer.name, terms: analyzer });
  if (typeof analyzer === "object") return isBuiltIn(analyzer) ? analyzer : wrapOwnAnalyzer(analyzer);
  if (analyzer === undefined && !hasOptions(options)) return undefined;
  const { stopWords, protectedWords, foldAccents } = options;
  return loadAnalyzer(analyzer ?? DEFAULT_ANALYZER, {
    ...(stopWords && { stopWords }),
    ...(protectedWords && { protectedWords }),
    ...(foldAccents !== undefined && { foldAccents }),
  });
}

/** Whether the library made the analyzer. */
function isBuiltIn(analyzer: Analyzer): boolean {
  const isPlain = analyzer === english || analyzer === whitespace;
  return isPlain || analyzer instanceof WordPiece || recordedOptions(analyzer) !== undefined;
}

function hasOptions({ stopWords, protectedWords, foldAccents }: AnalyzerOptions): boolean {
  return stopWords !== undefined || protectedWords !== undefined || foldAccents !== undefined;
}
