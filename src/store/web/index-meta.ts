// The manifest of an export: what it says about the index beside its arrays ↔ the slicing and the weighting.

import type { Analyzer } from "../../analyze/analyzer.ts";
import type { Counts } from "../../densify/counts.ts";
import { requireSame, type Settings, Slicing } from "../../densify/slicing.ts";
import type { Vocabulary } from "../../densify/vocabulary.ts";
import type { Meta, SectionArray } from "../../segment/container-format.ts";
import type { Bm25Parameters } from "../../weigh/bm25.ts";
import type { Weighting } from "../../weigh/weighting.ts";
import {
  type AnalyzerRecord,
  analyzerRecord,
  type EncoderRecord,
  type VocabularyKind,
} from "../encoder-record.ts";
import type { Snapshot } from "../snapshot.ts";

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
}

export function indexMeta(snapshot: Snapshot, lambda: number): IndexMeta {
  const { slicing, weighting, semanticDims, counts, vocabulary } = snapshot;
  return {
    settings: slicing.settings,
    vocabulary,
    analyzer: analyzerRecord(weighting.analyzer),
    lexical: weighting.kind,
    ...(weighting.kind === "bm25" && {
      bm25: { ...weighting.parameters, docs: weighting.statistics.docs, length: weighting.statistics.length },
    }),
    semanticDims,
    lambda,
    counts,
  };
}

/** The slicing with these settings. Throws, naming `where`, if the terms or the table are not those of the settings. */
export function slicingFrom(
  settings: Settings,
  vocabulary: Vocabulary,
  table: Uint32Array | undefined,
  where: string,
  begun?: Slicing,
): Slicing {
  const { strategy, dims, discard, seed } = settings;
  const options = { strategy, dims, discard, ...(seed !== undefined && { seed }), ...(table && { table }) };
  const slicing = new Slicing(vocabulary, options, begun);
  requireSame(settings, slicing.settings, where);
  return slicing;
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
