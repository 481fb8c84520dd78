// The names of all analyzers. A page lists them, so this file loads no
// analyzer.

export const LANGUAGE_NAMES = [
  ...(["arabic", "armenian", "basque", "bengali", "bulgarian", "catalan", "czech"] as const),
  ...(["danish", "dutch", "english", "estonian", "finnish", "french", "galician"] as const),
  ...(["german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian"] as const),
  ...(["latvian", "lithuanian", "norwegian", "persian", "portuguese", "romanian", "russian"] as const),
  ...(["serbian", "spanish", "swedish", "tamil", "telugu", "turkish"] as const),
];

export const SCRIPT_NAMES = ["universal", "chinese", "japanese", "korean", "thai"] as const;

/** The names that `analyzer` takes. */
export type AnalyzerName = (typeof LANGUAGE_NAMES)[number] | (typeof SCRIPT_NAMES)[number] | "whitespace";

/** The analyzer of a new index: it serves any script. */
export const DEFAULT_ANALYZER: AnalyzerName = "universal";

/** All names, in the order of the alphabet. */
export const ANALYZER_NAMES: readonly AnalyzerName[] = [
  ...LANGUAGE_NAMES,
  ...SCRIPT_NAMES,
  "whitespace" as const,
].sort();
