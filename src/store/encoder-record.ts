// The analyzer and the encoder of an index ↔ JSON, for commit records and exports.

import { type Analyzer, whitespace } from "../analyze/analyzer.ts";
import { english } from "../analyze/english.ts";
import { WordPiece, type WordPieceOptions } from "../analyze/wordpiece.ts";
import type { Vocabulary } from "../densify/vocabulary.ts";
import type { EncoderDescription } from "../encode/description.ts";
import type { StaticDescription } from "../encode/static-encoder.ts";
import { UsageError } from "../errors.ts";

/** Enough to open the encoder again, and to notice another one. */
export interface EncoderRecord {
  readonly path: string;
  readonly fingerprint: string;
  readonly description: EncoderDescription | StaticDescription;
}

export interface AnalyzerRecord {
  readonly name: Analyzer["name"];
  readonly options?: WordPieceOptions;
  /** Present if it is the caller's own analyzer. Only an index in memory can have one. */
  readonly isCustom?: true;
}

export function analyzerRecord(analyzer: Analyzer): AnalyzerRecord {
  if (analyzer instanceof WordPiece) return { name: analyzer.name, options: analyzer.options };
  if (analyzer === english || analyzer === whitespace) return { name: analyzer.name };
  return { name: analyzer.name, isCustom: true };
}

/** Throws if the analyzer is the caller's own: nobody could open the folder again. */
export function requireNamed({ isCustom }: AnalyzerRecord): void {
  if (!isCustom) return;
  throw new UsageError("an index with an analyzer of your own cannot be saved: it could not be opened again");
}

/** Word pieces need no file of their own: the vocabulary of the index is theirs. */
export function analyzerOf({ name, options }: AnalyzerRecord, vocabulary: Vocabulary): Analyzer {
  if (name === "wordpiece") return new WordPiece(vocabulary.terms, options);
  return name === "english" ? english : whitespace;
}

/**
 * - `open`: new terms of documents are added
 * - `given`: the user gave it; other terms are left out
 * - `sealed`: it came from the first documents, and its slicing has no cells for more; other terms are errors
 */
export type VocabularyKind = "open" | "given" | "sealed";
