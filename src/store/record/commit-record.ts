// The record of a commit: which segments there are, and how rows and queries are made. It is one value of the database, so a
// reader sees all of a commit or nothing.

import { createTally, type DensifyCounts } from "../../densify/counts.ts";
import { type Slicing, type StoredSlicing, toStoredSlicing } from "../../densify/slicing.ts";
import type { TextField } from "../../documents/text-fields.ts";
import type { EncoderRecord } from "../../encode/encoder-record.ts";
import { addChecksum, verifyChecksum } from "../../segment/container/checksum.ts";
import { damagedError, formatError } from "../../segment/container/container-format.ts";
import type { CodeOptions } from "../../segment/layout.ts";
import type { SegmentSource } from "../../segment/segment.ts";
import type { SegmentEntry } from "../../segment/segment-file.ts";
import type { Bits } from "../../support/numbers/bits.ts";
import { isObject } from "../../support/options/options.ts";
import { wrongField } from "../../support/options/shapes.ts";
import type { Bm25Parameters } from "../../weigh/bm25.ts";
import type { Weighting } from "../../weigh/weighting.ts";
import type { Database, ReadTransaction } from "../database/database.ts";
import { type AnalyzerRecord, createAnalyzerRecord, type VocabularyKind } from "./analyzer-record.ts";
import { RECORD_FIELDS } from "./record-shape.ts";

export const RECORD_VERSION = 5;

export interface CommitRecord {
  readonly version: number;
  /** Counts commits and merges. */
  readonly generation: number;
  /** The generation in which this vocabulary began. Within an epoch, terms are only added at the end. */
  readonly epoch: number;
  /** The serial number of the next document. No number below is used again. */
  readonly nextSerial: number;
  readonly nextSegment: number;
  /** The segments, in the order of their documents. */
  readonly segments: readonly CommittedSegment[];
  readonly lambda: number;
  readonly lexical: "bm25" | "weights";
  readonly bm25?: Bm25Parameters;
  /** The fields whose texts are searched, with their weights. Absent: title and text, as one text. */
  readonly textFields?: readonly TextField[];
  readonly analyzer: AnalyzerRecord;
  readonly settings: StoredSlicing;
  readonly vocabulary: VocabularyKind;
  /** Present if the slicing waits for the first documents. Ask `hasPendingSlicing`: stored records use this key. */
  readonly untaught?: true;
  /** Unknown until the first document. */
  readonly semanticDims?: number;
  readonly encoder?: EncoderRecord;
  /** The shape of the segments' product codes. */
  readonly quantize?: CodeOptions;
  /** Present if segments have positions. */
  readonly positions?: true;
  readonly counts: DensifyCounts;
}

export interface CommittedSegment extends SegmentEntry {
  readonly deleted: number;
}

/** An open segment with its deletions: as of the last commit, or as the next one will have them. */
export interface SegmentState {
  readonly entry: SegmentEntry;
  readonly source: SegmentSource;
  readonly deleted: Bits | undefined;
}

/** What rows and queries of an index are made by. */
interface RowMaking {
  readonly weighting: Weighting;
  readonly slicing: Slicing;
  readonly vocabularyKind: VocabularyKind;
  readonly isSlicingPending: boolean;
  readonly semanticDims: number | undefined;
  readonly encoder: EncoderRecord | undefined;
}

/** The part of a record that says how rows and queries are made. */
export function describeRowRules({
  weighting,
  slicing,
  vocabularyKind,
  isSlicingPending,
  semanticDims,
  encoder,
}: RowMaking) {
  return {
    lexical: weighting.kind,
    ...(weighting.kind === "bm25" && { bm25: weighting.parameters }),
    ...(weighting.kind === "bm25" && weighting.textFields && { textFields: weighting.textFields }),
    analyzer: createAnalyzerRecord(weighting.analyzer),
    settings: toStoredSlicing(slicing.settings),
    vocabulary: vocabularyKind,
    ...(isSlicingPending && { untaught: true as const }),
    ...(semanticDims !== undefined && { semanticDims }),
    ...(encoder && { encoder }),
  };
}

const COMMIT_KEY = "commit";

export function readCommit(database: Database, transaction?: ReadTransaction): CommitRecord | undefined {
  const bytes = database.records.get(COMMIT_KEY, transaction && { transaction });
  if (!bytes) return undefined;
  const record = parseRecord(verifyChecksum(bytes, database.path, "the commit record").toString());
  if (!record) throw damagedError(database.path, "the commit record is not a JSON object");
  if (record.version !== RECORD_VERSION) throw formatError(database.path, record.version, RECORD_VERSION);
  const wrong = wrongField(record, RECORD_FIELDS);
  if (wrong !== undefined)
    throw damagedError(database.path, `the commit record has a wrong "${wrong}", or none`);
  return record;
}

function parseRecord(json: string): CommitRecord | undefined {
  try {
    const value = JSON.parse(json);
    return isObject(value) ? (value as CommitRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** Call it within a transaction. */
export function putCommit(database: Database, record: CommitRecord): void {
  database.records.putSync(COMMIT_KEY, addChecksum(Buffer.from(JSON.stringify(record))));
}

/** Whether the slicing waits for the first documents. */
export function hasPendingSlicing(record: Pick<CommitRecord, "untaught"> | undefined): boolean {
  return record?.untaught ?? false;
}

/** How many documents the segments hold, without deleted ones. */
export function countDocs({ segments }: CommitRecord): number {
  return segments.reduce((sum, { docs, deleted }) => sum + docs - deleted, 0);
}

/** Segments as a record lists them. */
export function toCommittedSegments(segments: readonly SegmentState[]): CommittedSegment[] {
  return segments.map(({ entry: { name, docs, bytes, checksum }, deleted }) => ({
    name,
    docs,
    bytes,
    checksum,
    deleted: deleted?.count() ?? 0,
  }));
}

/** The counts of all segments together. Deleted documents count until a merge drops them. */
export function sumCounts(segments: readonly SegmentState[]): DensifyCounts {
  const total = createTally();
  for (const { source } of segments) {
    for (const key of Object.keys(total) as (keyof DensifyCounts)[]) total[key] += source.meta.counts[key];
  }
  return total;
}
