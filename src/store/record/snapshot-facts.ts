// What a stored record says of an index → the same under the names that snapshots and users know. The keys of commit records, of
// records on a cluster and of exports are those of the file format, and never change. Reading translates them here. Writing takes
// `toStoredSlicing` of densify/slicing.ts, where a record is made. Pages load this file, so it imports no analyzer.

import type { DensifyCounts } from "../../densify/counts.ts";
import { type StoredSlicing, toSlicingSettings } from "../../densify/slicing.ts";
import type { EncoderRecord } from "../../encode/encoder-record.ts";
import type { CodeOptions } from "../../segment/layout.ts";
import type { VocabularyKind } from "./analyzer-record.ts";

/** The keys that all stored records of an index have in common. */
interface StoredFacts {
  readonly settings: StoredSlicing;
  /** Absent in exports of earlier versions, whose vocabulary is sealed. */
  readonly vocabulary?: VocabularyKind;
  readonly semanticDims?: number;
  readonly lambda: number;
  readonly counts: DensifyCounts;
  readonly encoder?: EncoderRecord;
  readonly quantize?: CodeOptions;
  readonly positions?: true;
}

/** The parts of a snapshot that its record gives. */
export function toSnapshotFacts({
  settings,
  vocabulary = "sealed",
  semanticDims = 0,
  lambda,
  counts,
  encoder,
  quantize,
  positions,
}: StoredFacts) {
  return {
    slicingSettings: toSlicingSettings(settings),
    vocabularyKind: vocabulary,
    semanticDims,
    lambda,
    densifyCounts: counts,
    ...(encoder && { encoder }),
    ...(quantize && { quantize }),
    keepsPositions: positions === true,
  };
}
