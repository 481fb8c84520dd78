// The manifest of an export: its facts about the index, beside the arrays ↔ the weighting.

import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import type { DensifyCounts } from "../../densify/counts.ts";
import { type StoredSlicing, toStoredSlicing } from "../../densify/slicing.ts";
import type { TextField } from "../../documents/text-fields.ts";
import type { EncoderRecord } from "../../encode/encoder-record.ts";
import type { Meta, SectionArray } from "../../segment/container/container-format.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { Bm25Parameters } from "../../weigh/bm25.ts";
import type { Weighting } from "../../weigh/weighting.ts";
import { type AnalyzerRecord, createAnalyzerRecord, type VocabularyKind } from "../record/analyzer-record.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";

export interface IndexMeta extends Meta {
  readonly settings: StoredSlicing;
  readonly analyzer: AnalyzerRecord;
  readonly lexical: Weighting["kind"];
  readonly bm25?: Bm25Parameters & {
    readonly docs: number;
    readonly length: number;
    readonly fieldLengths?: readonly number[];
  };
  /** The fields whose texts are searched, with their weights. Absent: title and text, as one text. */
  readonly textFields?: readonly TextField[];
  readonly semanticDims: number;
  readonly lambda: number;
  readonly counts: DensifyCounts;
  readonly vocabulary?: VocabularyKind;
  readonly encoder?: EncoderRecord;
  /** Present if the segment has positions. */
  readonly positions?: true;
}

export function createIndexMeta(snapshot: Snapshot): IndexMeta {
  const { slicing, weighting, semanticDims, densifyCounts: counts, vocabularyKind } = snapshot;
  const analyzer = createAnalyzerRecord(weighting.analyzer);
  if (analyzer.isCustom) {
    throw new SluiceError(
      `the index has an analyzer of your own, ${analyzer.name}, which a page could not run`,
      "build an index with an analyzer that has a name",
    );
  }
  return {
    settings: toStoredSlicing(slicing.settings),
    vocabulary: vocabularyKind,
    analyzer,
    lexical: weighting.kind,
    ...(weighting.kind === "bm25" && bm25Meta(weighting)),
    semanticDims,
    lambda: snapshot.lambda,
    counts,
    ...(snapshot.keepsPositions && { positions: true as const }),
  };
}

function bm25Meta({ parameters, statistics, textFields }: Extract<Weighting, { kind: "bm25" }>) {
  const { documentFrequencies: _, ...totals } = statistics;
  return { bm25: { ...parameters, ...totals }, ...(textFields && { textFields }) };
}

export function restoreWeighting(
  { lexical, bm25, textFields }: Pick<IndexMeta, "lexical" | "bm25" | "textFields">,
  analyzer: Analyzer,
  documentFrequencies: () => Uint32Array,
): Weighting {
  if (lexical !== "bm25" || !bm25) return { kind: "weights", analyzer };
  const { k1, b, ...totals } = bm25;
  const statistics = { ...totals, documentFrequencies: documentFrequencies() };
  return { kind: "bm25", analyzer, parameters: { k1, b }, statistics, ...(textFields && { textFields }) };
}

/** Texts ↔ bytes. */
export function textsToBytes(texts: readonly string[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(texts));
}

export function bytesToTexts(bytes: SectionArray): string[] {
  return JSON.parse(new TextDecoder().decode(bytes));
}
