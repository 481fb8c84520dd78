// What an export says about an index beside its arrays, and the way back from there to what makes rows and weighs terms.

import type { Analyzer } from "../analyze/analyzer.ts";
import type { Counts } from "../densify/counts.ts";
import { requireSame, type Settings, Slicing } from "../densify/slicing.ts";
import { Vocabulary } from "../densify/vocabulary.ts";
import type { Meta, SectionArray } from "../segment/container-format.ts";
import type { Bm25Parameters } from "../weigh/bm25.ts";
import type { Weighting } from "../weigh/weighting.ts";
import {
  type AnalyzerRecord,
  analyzerRecord,
  type EncoderRecord,
  type VocabularyKind,
} from "./model-record.ts";

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

/** What an export says of an index beside its segment. */
interface IndexParts {
  readonly slicing: Slicing;
  readonly weighting: Weighting;
  readonly semanticDims: number;
  readonly lambda: number;
  readonly counts: Counts;
  readonly encoder?: EncoderRecord;
  readonly vocabulary: VocabularyKind;
}

export function indexMeta({
  slicing,
  weighting,
  semanticDims,
  lambda,
  counts,
  encoder,
  vocabulary,
}: IndexParts): IndexMeta {
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
    ...(encoder && { encoder }),
  };
}

/** The slicing with these settings; `table` where they name one. Refuses, as `where`, terms that make another. */
export function slicingFrom(
  settings: Settings,
  terms: readonly string[],
  table: Uint32Array | undefined,
  where: string,
): Slicing {
  const { strategy, dims, discard, seed } = settings;
  const slicing = new Slicing(new Vocabulary(terms), {
    strategy,
    dims,
    discard,
    ...(seed !== undefined && { seed }),
    ...(table && { table }),
  });
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

/** A list of texts ↔ an array. */
export function textsAsBytes(texts: readonly string[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(texts));
}

export function bytesAsTexts(bytes: SectionArray): string[] {
  return JSON.parse(new TextDecoder().decode(bytes));
}
