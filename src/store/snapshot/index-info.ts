// Facts about an index, to be shown.

import { type DensifyCounts, droppedShare } from "../../densify/counts.ts";
import type { SlicingSettings } from "../../densify/slicing.ts";
import type { FieldWeights } from "../../documents/text-fields.ts";
import { FIELD_SECTIONS, POSITION_SECTIONS } from "../../segment/segment.ts";
import { averageLength } from "../../weigh/bm25.ts";
import { hasWords, textFieldsIn } from "../../weigh/weighting.ts";
import { analyzerNotice } from "../record/analyzer-record.ts";
import type { Snapshot } from "./snapshot.ts";

export interface IndexInfo {
  readonly docs: number;
  /** What decides the cell of each term. Rows can be compared if it is equal for both. */
  readonly slicingSettings: SlicingSettings;
  readonly lexical: "bm25" | "weights";
  readonly analyzer: string;
  /** Whether its terms are words, which can be completed and corrected: not pieces of words, nor terms with given weights. */
  readonly hasWords: boolean;
  /** Set if queries are cut by another dictionary than the documents were. */
  readonly analyzerNotice?: string;
  readonly bm25?: { readonly k1: number; readonly b: number; readonly averageLength: number };
  /** The fields whose texts are searched, and how much each counts. Absent: title and text, as one text. */
  readonly fieldWeights?: FieldWeights;
  readonly semanticDims: number;
  readonly lambda: number;
  /** The encoder of documents and queries. Absent if the index has none. */
  readonly encoder?: {
    readonly name: string;
    readonly kind: string;
    readonly fingerprint: string;
    /** The name of the encoder of queries, if it is another one. */
    readonly queries?: string;
  };
  /** The bytes of the positions of terms; absent if the index does not keep them. */
  readonly positionBytes?: number;
  /** The bytes of the counts by text field; absent without text fields. */
  readonly fieldBytes?: number;
  /** What densifying kept and lost of the documents' terms. */
  readonly densifyCounts: DensifyCounts;
  /** The share of the documents' terms that rows lack, from 0 to 1; 0 with `dims: "full"`. */
  readonly droppedShare: number;
  /** How many terms share a cell with another: only with `hashed` slicing. */
  readonly sharedCells: number;
  /** Bytes of the rows: slices, indices, values, starts, semantic part. 0 on a cluster, which holds the rows. */
  readonly rowBytes: number;
  /** Counts commits and merges; 0 before the first commit. */
  readonly generation: number;
  readonly segments: readonly SegmentInfo[];
  /** Bytes of the folder's files; undefined for an index in memory. */
  readonly diskBytes?: number;
}

export interface SegmentInfo {
  readonly name: string;
  /** How many documents it has, without deleted ones. */
  readonly docs: number;
  /** Documents that are deleted, and still in the file. */
  readonly deleted: number;
  /** Bytes of its file, or of its rows in memory. */
  readonly bytes: number;
}

/** @internal `diskBytes` is what a folder takes. */
export function describeIndex(snapshot: Snapshot, diskBytes: number | undefined): IndexInfo {
  const { slicing, weighting, densifyCounts: counts, generation, segments, semanticDims, encoder } = snapshot;
  const textFields = textFieldsIn(weighting);
  const notice = analyzerNotice(weighting.analyzer);
  return {
    docs: snapshot.docs,
    slicingSettings: slicing.settings,
    lexical: weighting.kind,
    analyzer: weighting.analyzer.name,
    hasWords: hasWords(weighting),
    ...(notice !== undefined && { analyzerNotice: notice }),
    ...(weighting.kind === "bm25" && {
      bm25: {
        ...weighting.parameters,
        averageLength: averageLength(weighting.statistics),
      },
    }),
    ...(textFields && {
      fieldWeights: Object.fromEntries(textFields.map(({ name, weight }) => [name, weight])),
    }),
    semanticDims,
    lambda: snapshot.lambda,
    ...(encoder && {
      encoder: {
        name: lastName(encoder.path),
        kind: encoder.description.kind,
        fingerprint: encoder.fingerprint,
        ...(encoder.queries && { queries: lastName(encoder.queries.path) }),
      },
    }),
    ...(snapshot.keepsPositions && { positionBytes: sectionBytes(snapshot, POSITION_SECTIONS) }),
    ...(textFields && { fieldBytes: sectionBytes(snapshot, FIELD_SECTIONS) }),
    densifyCounts: counts,
    droppedShare: droppedShare(counts),
    sharedCells: slicing.sharedCells,
    rowBytes: segments.reduce((sum, segment) => sum + segment.source.rowBytes, 0),
    generation,
    segments: segments.map((segment) => ({
      name: segment.source.name,
      docs: segment.docs,
      deleted: segment.rowCount - segment.docs,
      bytes: segment.source.sections.bytes ?? segment.source.rowBytes,
    })),
    ...(diskBytes !== undefined && { diskBytes }),
  };
}

function sectionBytes({ segments }: Snapshot, sections: readonly string[]): number {
  let bytes = 0;
  for (const { source } of segments)
    for (const name of sections) if (source.sections.has(name)) bytes += source.sections.bytesOf(name);
  return bytes;
}

/** The last name of a path of any system. It runs in pages, too, so it does without Node. */
function lastName(path: string): string {
  return path.split(/[/\\]/).findLast((name) => name !== "") ?? path;
}
