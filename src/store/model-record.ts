// How an index weighs words, and which model encodes its queries ↔ JSON, for headers and commit records.

import { type Analyzer, whitespace } from "../analyze/analyzer.ts";
import { english } from "../analyze/english.ts";
import { WordPiece, type WordPieceOptions } from "../analyze/wordpiece.ts";
import type { Vocabulary } from "../densify/vocabulary.ts";
import type { Description } from "../encode/description.ts";
import type { StaticDescription } from "../encode/static-encoder.ts";
import { UsageError } from "../errors.ts";

/** Which model it was: enough to open it again, and to notice another one. */
export interface EncoderRecord {
  readonly path: string;
  readonly fingerprint: string;
  readonly description: Description | StaticDescription;
}

export interface AnalyzerRecord {
  readonly name: Analyzer["name"];
  readonly options?: WordPieceOptions;
  /** It is the caller's own: only an index in memory can have it. */
  readonly isCustom?: true;
}

export function analyzerRecord(analyzer: Analyzer): AnalyzerRecord {
  if (analyzer instanceof WordPiece) return { name: analyzer.name, options: analyzer.options };
  if (analyzer === english || analyzer === whitespace) return { name: analyzer.name };
  return { name: analyzer.name, isCustom: true };
}

/** Refuses an analyzer of the caller's own: whoever opens the folder could not find it again. */
export function requireNamed({ isCustom }: AnalyzerRecord): void {
  if (!isCustom) return;
  throw new UsageError("an index with an analyzer of your own cannot be saved: it could not be opened again");
}

/** Word pieces need no file of their own: their vocabulary is the index's. */
export function analyzerOf({ name, options }: AnalyzerRecord, vocabulary: Vocabulary): Analyzer {
  if (name === "wordpiece") return new WordPiece(vocabulary.terms, options);
  return name === "english" ? english : whitespace;
}

/**
 * - `open`: terms that documents bring are added
 * - `given`: it is what it is, and other terms are left out
 * - `sealed`: it came from documents, and its slicing has no place for more; other terms are refused
 */
export type VocabularyKind = "open" | "given" | "sealed";
