// What an index is, in figures, to be shown.

import { type Counts, droppedTerms } from "../densify/counts.ts";
import type { Settings } from "../densify/slicing.ts";
import type { Snapshot } from "./snapshot.ts";

export interface IndexInfo {
  readonly docs: number;
  readonly settings: Settings;
  readonly lexical: "bm25" | "weights";
  readonly analyzer: string;
  readonly bm25?: { readonly k1: number; readonly b: number; readonly averageLength: number };
  readonly semanticDims: number;
  readonly lambda: number;
  /** The model that encodes documents and queries, where one does. */
  readonly model?: { readonly name: string; readonly kind: string; readonly fingerprint: string };
  readonly counts: Counts;
  /** The share of the documents' terms that rows do not hold, from 0 to 1; 0 with `dims: "full"`. */
  readonly droppedTerms: number;
  /** Terms that share their cell with another: only where cells are hashed. */
  readonly sharedCells: number;
  /** Bytes of the rows: slices, indices, values, starts, semantic part. */
  readonly rowBytes: number;
  /** Counts commits and merges; 0 before the first commit. */
  readonly generation: number;
  readonly segments: readonly SegmentInfo[];
  /** Bytes of the folder's files; undefined for an index in memory. */
  readonly diskBytes?: number;
}

interface SegmentInfo {
  readonly name: string;
  /** Deleted ones included. */
  readonly docs: number;
  readonly deleted: number;
  /** Bytes of its file, or of its rows in memory. */
  readonly bytes: number;
}

/** @internal `lambda` is the weight that searches use, `diskBytes` what the folder takes, where there is one. */
export function infoOf(snapshot: Snapshot, lambda: number, diskBytes: number | undefined): IndexInfo {
  const { slicing, lexical, counts, generation, segments, semanticDims, encoder } = snapshot;
  return {
    docs: snapshot.size,
    settings: slicing.settings,
    lexical: lexical.kind,
    analyzer: lexical.analyzer.name,
    ...(lexical.kind === "bm25" && {
      bm25: {
        ...lexical.parameters,
        averageLength: lexical.statistics.length / Math.max(1, lexical.statistics.docs),
      },
    }),
    semanticDims,
    lambda,
    ...(encoder && {
      model: {
        name: lastName(encoder.path),
        kind: encoder.description.kind,
        fingerprint: encoder.fingerprint,
      },
    }),
    counts,
    droppedTerms: droppedTerms(counts),
    sharedCells: slicing.sharedCells,
    rowBytes: segments.reduce((sum, segment) => sum + segment.source.rowBytes, 0),
    generation,
    segments: segments.map((segment) => ({
      name: segment.source.name,
      docs: segment.docs,
      deleted: segment.docs - segment.live,
      bytes: segment.source.sections.bytes ?? segment.source.rowBytes,
    })),
    ...(diskBytes !== undefined && { diskBytes }),
  };
}

/** Of a path, on any system; pages show it, too, so Node is not asked. */
function lastName(path: string): string {
  return path.split(/[/\\]/).findLast((name) => name !== "") ?? path;
}
