// Verifies an index: reads every byte of the last commit, and compares the record with the files, segments with documents, and
// documents with ids. Problems are collected, not thrown, so that one pass finds all of them.

import { whitespace } from "../../analyze/analyzers/whitespace.ts";
import { Problems } from "../../segment/container/problems.ts";
import type { SegmentSource } from "../../segment/segment.ts";
import { openSegmentFile, segmentError, segmentPath } from "../../segment/segment-file.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { checkText } from "../../support/options/options.ts";
import { PROGRESS_STEP } from "../../support/options/progress.ts";
import { checkWorkOptions, type WorkOptions } from "../../support/options/work-options.ts";
import { Turns, waitInBackground } from "../../support/work/turns.ts";
import { type Database, noIndexError, type ReadTransaction } from "../database/database.ts";
import type { LmdbDatabase } from "../database/lmdb-database.ts";
import { serialOf } from "../database/serial-value.ts";
import { findIndex } from "../medium/index-folder.ts";
import { type CommitRecord, type CommittedSegment, countDocs, readCommit } from "../record/commit-record.ts";
import { readSlicing, readWeighting } from "../record/lexicon-record.ts";
import { type VerifiedBlock, verifyBlocks } from "./verify-groups.ts";
import { readDeletions, type VerifiedSegment, verifySegment } from "./verify-segment.ts";

export interface VerifyResult {
  /** The problems, each with its file; empty if there are none. */
  readonly problems: readonly string[];
  readonly generation: number;
  readonly segments: number;
  /** How many documents were found, each with its id. */
  readonly docs: number;
  /** How many bytes of segments and documents were read. */
  readonly bytes: number;
}

/** Reads every byte of an index, and collects what is damaged. Throws if another version of Sluice wrote it: that is no damage. */
export async function verifyFolder(folder: string, options: WorkOptions): Promise<VerifyResult> {
  checkText("the location of an index", folder);
  checkWorkOptions("verify", options);
  const problems = new Problems();
  const nothing = { generation: 0, segments: 0, docs: 0, bytes: 0 };
  const found = await findDamaged(folder, problems);
  if (found === "nothing") throw noIndexError(folder);
  if (found === undefined) return { ...nothing, problems: problems.list };
  const database = found;
  const transaction = database.view();
  try {
    const record = await problems.catch(() => readCommit(database, transaction));
    if (!record) return { ...nothing, problems: problems.list };
    const verification = new Verification({ folder, database, transaction, record, problems, ...options });
    // Damage to pages of LMDB ends the verification.
    return (await problems.catch(() => verification.run())) ?? { ...nothing, problems: problems.list };
  } finally {
    transaction.done();
    await database.close();
  }
}

/** Like `findIndex`. Undefined if the index is too damaged to be opened. */
async function findDamaged(
  folder: string,
  problems: Problems,
): Promise<LmdbDatabase | "nothing" | undefined> {
  try {
    return await findIndex(folder);
  } catch (error) {
    if (error instanceof SluiceError && error.code === "ERR_SLUICE_FORMAT") throw error;
    return problems.catch(() => Promise.reject(error));
  }
}

interface VerifyInput extends WorkOptions {
  readonly folder: string;
  readonly database: Database;
  readonly transaction: ReadTransaction;
  readonly record: CommitRecord;
  readonly problems: Problems;
}

class Verification {
  readonly #input: VerifyInput;
  readonly #turns = new Turns(undefined, waitInBackground);
  #bytes = 0;
  #done = 0;
  #docs = 0;

  constructor(input: VerifyInput) {
    this.#input = input;
  }

  async run(): Promise<VerifyResult> {
    const { record, problems } = this.#input;
    await problems.catch(() => this.#verifyTerms());
    const segments: VerifiedSegment[] = [];
    for (const entry of record.segments) {
      this.#input.signal?.throwIfAborted();
      const segment = await problems.catch(() => this.#verifySegment(entry, segments.at(-1)));
      if (segment) segments.push(segment);
      this.#bytes += entry.bytes;
      this.#step(entry.docs);
    }
    if (segments.length === record.segments.length) await this.#compareDocuments(segments);
    else await this.#readDocuments();
    for (const { source } of segments) source.close();
    return {
      problems: problems.list,
      generation: record.generation,
      segments: segments.length,
      docs: this.#docs,
      bytes: this.#bytes,
    };
  }

  /** Verifies the vocabulary, whose fingerprint is in the settings, and the statistics. */
  #verifyTerms(): void {
    const { database, transaction, record, problems } = this.#input;
    readSlicing(database, transaction, record);
    const weighting = readWeighting(database, transaction, record, whitespace); // no text is cut
    if (weighting.kind !== "bm25") return;
    const { docs, length, documentFrequencies } = weighting.statistics;
    const most = documentFrequencies.reduce((a, b) => Math.max(a, b), 0);
    if (docs > countDocs(record) || most > docs || !(length >= 0)) {
      problems.add(database.path, "the statistics count more documents than there are");
    }
  }

  /** Verifies a segment. Returns undefined if a byte of it is damaged. */
  async #verifySegment(
    entry: CommittedSegment,
    before: VerifiedSegment | undefined,
  ): Promise<VerifiedSegment | undefined> {
    const { folder, database, transaction, record, problems } = this.#input;
    const source = this.#open(entry);
    let isIntact = false;
    try {
      const deleted = await problems.catch(() => readDeletions(database, transaction, entry, problems));
      isIntact = await verifySegment(segmentPath(folder, entry.name), source, record, before, problems);
      return isIntact ? { source, deleted } : undefined;
    } finally {
      if (!isIntact) source.close();
    }
  }

  #open(entry: CommittedSegment): SegmentSource {
    const { folder } = this.#input;
    try {
      return openSegmentFile(folder, entry);
    } catch (error) {
      throw segmentError(error, folder, entry.name);
    }
  }

  /** Compares documents and ids with the segments, in the order of their serial numbers. */
  async #compareDocuments(segments: readonly VerifiedSegment[]): Promise<void> {
    const { database, transaction, problems } = this.#input;
    const { path } = database;
    const blocks = this.#blocks();
    let block = blocks.next();
    let owner = { group: 0, segment: "" };
    for (const { source, deleted } of segments) {
      const { serials, ids } = source;
      for (let local = 0; local < source.rowCount; local++) {
        if (deleted?.get(local)) continue;
        const serial = serials[local];
        while (!block.done && block.value.last < serial) block = blocks.next();
        const name = `document ${serial}, the id ${JSON.stringify(ids.at(local))} of segment ${source.name}`;
        if (block.done || block.value.first > serial || !block.value.has(serial)) {
          problems.add(path, `${name}, is missing`);
        } else {
          const { group } = block.value;
          if (owner.group !== group) owner = { group, segment: source.name };
          if (owner.segment !== source.name) {
            problems.add(path, `${name}, is in a group of segment ${owner.segment}`);
          }
        }
        const found = serialOf(database.ids, ids.bytesAt(local), transaction);
        if (found !== serial) problems.add(path, `${name}: the id leads to ${found ?? "nothing"}`);
        this.#docs++;
        await this.#pause();
      }
    }
    while (!block.done) block = blocks.next();
    const ids = database.ids.getCount({ transaction });
    if (ids !== this.#docs) problems.add(path, `there are ${ids} ids for ${this.#docs} documents`);
  }

  /** Reads documents without comparing them, because a segment is missing. Counts deleted ones, too. */
  async #readDocuments(): Promise<void> {
    for (const { docs } of this.#blocks()) {
      this.#docs += docs;
      await waitInBackground();
    }
  }

  *#blocks(): Generator<VerifiedBlock> {
    const { database, transaction, record, problems } = this.#input;
    for (const block of verifyBlocks(database, transaction, record.nextSerial, problems)) {
      this.#bytes += block.bytes;
      yield block;
    }
  }

  async #pause(): Promise<void> {
    if (this.#docs % PROGRESS_STEP === 0) this.#step(PROGRESS_STEP);
    if (this.#turns.isDue) await this.#turns.next();
  }

  #step(docs: number): void {
    this.#done += docs;
    const { record, onProgress, signal } = this.#input;
    signal?.throwIfAborted();
    const rows = record.segments.reduce((sum, { docs }) => sum + docs, 0);
    onProgress?.({ task: "verifying", done: this.#done, total: rows + countDocs(record) });
  }
}
