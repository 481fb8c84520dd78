// What one commit says: which segments there are, and how rows and queries are made. One value of the database, so that
// a reader sees all of a commit or nothing.

import type { Counts } from "../densify/counts.ts";
import type { Settings } from "../densify/slicing.ts";
import { UsageError } from "../errors.ts";
import { addChecksum, verifyChecksum } from "../segment/checksum.ts";
import type { Quantize } from "../segment/layout.ts";
import type { SegmentEntry } from "../segment/segment-file.ts";
import type { Bm25Parameters } from "../weigh/bm25.ts";
import type { Database, ReadTransaction } from "./database.ts";
import type { AnalyzerRecord, EncoderRecord, VocabularyKind } from "./model-record.ts";

export const RECORD_VERSION = 2;

export interface CommitRecord {
  readonly version: number;
  /** Counts commits and merges. */
  readonly generation: number;
  /** The generation that began this vocabulary: one of an earlier time is not a beginning of it. */
  readonly epoch: number;
  /** The next document gets this number; those before were used, whether their documents are still there or not. */
  readonly nextSerial: number;
  readonly nextSegment: number;
  /** In the order of their documents. */
  readonly segments: readonly CommittedSegment[];
  readonly lambda: number;
  readonly lexical: "bm25" | "weights";
  readonly bm25?: Bm25Parameters;
  readonly analyzer: AnalyzerRecord;
  readonly settings: Settings;
  readonly vocabulary: VocabularyKind;
  /** The slicing waits for the first documents. */
  readonly untaught?: true;
  /** Unknown until the first document. */
  readonly semanticDims?: number;
  readonly encoder?: EncoderRecord;
  /** Product codes that segments have. */
  readonly quantize?: Quantize;
  readonly counts: Counts;
}

export interface CommittedSegment extends SegmentEntry {
  readonly deleted: number;
}

const KEY = "commit";

export function readCommit(database: Database, transaction?: ReadTransaction): CommitRecord | undefined {
  const bytes = database.records.get(KEY, transaction && { transaction });
  if (!bytes) return undefined;
  const record = JSON.parse(
    verifyChecksum(bytes, database.path, "the commit record").toString(),
  ) as CommitRecord;
  if (record.version !== RECORD_VERSION) {
    throw new UsageError(
      `${database.path}: format ${record.version}; this build reads format ${RECORD_VERSION}`,
      "upgrade Sluice, or build the index again",
      "ERR_SLUICE_DAMAGED",
    );
  }
  return record;
}

/** Within a transaction. */
export function putCommit(database: Database, record: CommitRecord): void {
  database.records.putSync(KEY, addChecksum(Buffer.from(JSON.stringify(record))));
}

/** Documents that are there: those of all segments, without the deleted ones. */
export function liveDocs({ segments }: CommitRecord): number {
  return segments.reduce((sum, { docs, deleted }) => sum + docs - deleted, 0);
}
