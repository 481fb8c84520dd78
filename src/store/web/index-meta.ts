// The manifest of an export: what it says about the index beside its arrays ↔ the weighting.

import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import type { Counts } from "../../densify/counts.ts";
import type { Settings } from "../../densify/slicing.ts";
import type { EncoderRecord } from "../../encode/encoder-record.ts";
import { UsageError } from "../../errors.ts";
import type { Meta, SectionArray } from "../../segment/container/container-format.ts";
import type { Bm25Parameters } from "../../weigh/bm25.ts";
import type { Weighting } from "../../weigh/weighting.ts";
import { type AnalyzerRecord, analyzerRecord, type VocabularyKind } from "../record/analyzer-record.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";

export interface IndexMeta extends Meta {
  readonly settings: Settings;
  readonly analyzer: AnalyzerRecord;
  readonly lexical: Weighting["kind"];
  readonly bm25?: Bm25Parameters & { readonly docs: number; readonly length: number };
  readonly semanticDims: number;
  readonly lambda: number;
  readonly counts: Counts;
  readonly vocabulary?: VocabularyKind;
  readonly encoder?: EncoderRecord;
  /** Present if the segment has positions. */
  readonly positions?: true;
}

export function indexMeta(snapshot: Snapshot, lambda: number): IndexMeta {
  const { slicing, weighting, semanticDims, counts, vocabulary } = snapshot;
  const analyzer = analyzerRecord(weighting.analyzer);
  if (analyzer.isCustom) {
    throw new UsageError(
      `the index has an analyzer of your own, ${analyzer.name}, which a page could not run`,
      "build an index with an analyzer that has a name",
    );
  }
  return {
    settings: slicing.settings,
    vocabulary,
    analyzer,
    lexical: weighting.kind,
    ...(weighting.kind === "bm25" && {
      bm25: { ...weighting.parameters, docs: weighting.statistics.docs, length: weighting.statistics.length },
    }),
    semanticDims,
    lambda,
    counts,
    ...(snapshot.keepsPositions && { positions: true as const }),
  };
}

export function weightingFrom(
  { lexical, bm25 }: Pick<IndexMeta, "lexical" | "bm25">,
  analyzer: Analyzer,
  documentFrequencies: () => Uint32Array,
): Weighting {
  if (lexical !== "bm25" || !bm25) return { kind: "weights", analyzer };
  const { k1, b, docs, length } = bm25;
  const statistics = { docs, length, documentFrequencies: documentFrequencies() };
  return { kind: "bm25", analyzer, parameters: { k1, b }, statistics };
}

/** Texts ↔ bytes. */
export function textsAsBytes(texts: readonly string[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(texts));
}

export function bytesAsTexts(bytes: SectionArray): string[] {
  return JSON.parse(new TextDecoder().decode(bytes));
}
