// sluice/analyze: what cuts a text into terms. `analyzer` of `Sluice.open` and `Sluice.build` takes a name, or one of these.

export { english } from "./analyzers/english.ts";
export { universal } from "./analyzers/universal.ts";
export { whitespace } from "./analyzers/whitespace.ts";
export { WordPiece, type WordPieceOptions } from "./analyzers/wordpiece.ts";
export type { Analyzer, EmitTerm } from "./contract/analyzer.ts";
export { ANALYZER_NAMES, type AnalyzerName } from "./contract/analyzer-names.ts";
export type { AnalyzerOptions } from "./contract/named-analyzer.ts";
export { loadAnalyzer } from "./load-analyzer.ts";
