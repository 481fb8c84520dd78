// Every byte of the last commit is read and checked, and what refers to each other is compared: the record and the files,
// segments and documents, documents and ids. Damage is collected, not thrown, so that one pass finds all of it.

import { Problems } from "../segment/problems.ts";
import type { Segment } from "../segment/segment.ts";
import { openSegment, segmentError, segmentPath } from "../segment/segment-file.ts";
import { checkFunction, checkOptions, checkText } from "../support/options.ts";
import { type OnProgress, PROGRESS_STEP, turn } from "../support/progress.ts";
import { type CommitRecord, liveDocs, readCommit } from "./commit-record.ts";
import { type Database, noIndex, type ReadTransaction } from "./database.ts";
import { lookInto } from "./index-folder.ts";
import { readLexical, readSlicing } from "./lexicon-store.ts";
import { type CheckedBlock, checkedBlocks } from "./verify-groups.ts";
import { type CheckedSegment, checkSegment, deletionsOf } from "./verify-segment.ts";

export interface Verification {
  /** What is not as it should be, each with the file it was found in; none when all is well. */
  readonly problems: readonly string[];
  readonly generation: number;
  readonly segments: number;
  /** Documents that are there, and ids that lead to them. */
  readonly documents: number;
  /** Bytes of segments and documents that were read. */
  readonly bytes: number;
}

/** Reads every byte of an index, and collects what is damaged. */
export async function verifyFolder(
  folder: string,
  options: { onProgress?: OnProgress },
): Promise<Verification> {
  checkText("the folder of an index", folder);
  checkOptions(options, { onProgress: true }, "verify");
  checkFunction("onProgress", options.onProgress);
  const { onProgress } = options;
  const problems = new Problems();
  const nothing = { generation: 0, segments: 0, documents: 0, bytes: 0 };
  const found = await problems.catch(() => lookInto(folder));
  if (found === "nothing") throw noIndex(folder);
  if (found === undefined) return { ...nothing, problems: problems.list };
  const database = found;
  const transaction = database.view();
  try {
    const record = await problems.catch(() => readCommit(database, transaction));
    if (!record) return { ...nothing, problems: problems.list };
    const check = new Check(folder, database, transaction, record, problems, onProgress);
    // Damage to LMDB's own pages ends the check wherever it is met.
    return (await problems.catch(() => check.run())) ?? { ...nothing, problems: problems.list };
  } finally {
    transaction.done();
    await database.close();
  }
}

class Check {
  readonly #folder: string;
  readonly #database: Database;
  readonly #transaction: ReadTransaction;
  readonly #record: CommitRecord;
  readonly #problems: Problems;
  readonly #onProgress: OnProgress | undefined;
  #bytes = 0;
  #done = 0;
  #documents = 0;

  constructor(
    folder: string,
    database: Database,
    transaction: ReadTransaction,
    record: CommitRecord,
    problems: Problems,
    onProgress: OnProgress | undefined,
  ) {
    this.#folder = folder;
    this.#database = database;
    this.#transaction = transaction;
    this.#record = record;
    this.#problems = problems;
    this.#onProgress = onProgress;
  }

  async run(): Promise<Verification> {
    const record = this.#record;
    await this.#words();
    const segments: CheckedSegment[] = [];
    for (const [i] of record.segments.entries()) {
      const segment = await this.#segment(i, segments.at(-1));
      if (segment) segments.push(segment);
    }
    if (segments.length === record.segments.length) await this.#documentsOf(segments);
    else await this.#documentsAlone();
    for (const { source } of segments) source.close();
    return {
      problems: this.#problems.list,
      generation: record.generation,
      segments: segments.length,
      documents: this.#documents,
      bytes: this.#bytes,
    };
  }

  /** The vocabulary, whose fingerprint is in the settings, and the statistics. */
  async #words(): Promise<void> {
    const { path } = this.#database;
    await this.#problems.catch(() => {
      const slicing = readSlicing(this.#database, this.#transaction, this.#record);
      const lexical = readLexical(this.#database, this.#transaction, this.#record, slicing);
      if (lexical.kind !== "bm25") return;
      const { docs, length, documentFrequencies } = lexical.statistics;
      const most = documentFrequencies.reduce((a, b) => Math.max(a, b), 0);
      if (docs > liveDocs(this.#record) || most > docs || !(length >= 0)) {
        this.#problems.add(path, "the statistics count more documents than there are");
      }
    });
  }

  async #segment(at: number, before: CheckedSegment | undefined): Promise<CheckedSegment | undefined> {
    const entry = this.#record.segments[at];
    const path = segmentPath(this.#folder, entry.name);
    const checked = await this.#problems.catch(async () => {
      const source = this.#open(at);
      const deleted = await this.#problems.catch(() =>
        deletionsOf(this.#database, this.#transaction, entry, this.#problems),
      );
      const isSound = await checkSegment(path, source, this.#record, before, this.#problems).catch(
        (error) => {
          source.close();
          throw error;
        },
      );
      if (isSound) return { source, deleted };
      source.close();
      return undefined;
    });
    this.#bytes += entry.bytes;
    this.#step(entry.docs);
    return checked;
  }

  #open(at: number): Segment["source"] {
    const entry = this.#record.segments[at];
    try {
      return openSegment(this.#folder, entry);
    } catch (error) {
      throw segmentError(error, this.#folder, entry.name);
    }
  }

  /** Documents in the order of their serials, beside those that the segments hold, and their ids. */
  async #documentsOf(segments: readonly CheckedSegment[]): Promise<void> {
    const { path } = this.#database;
    const blocks = this.#blocks();
    let block = blocks.next();
    let owner = { group: 0, segment: "" };
    for (const { source, deleted } of segments) {
      const { serials, ids } = source;
      for (let doc = 0; doc < source.docs; doc++) {
        if (deleted?.get(doc)) continue;
        const serial = serials[doc];
        while (!block.done && block.value.last < serial) block = blocks.next();
        const name = `document ${serial}, the id ${JSON.stringify(ids.at(doc))} of segment ${source.name}`;
        if (block.done || block.value.first > serial || !block.value.has(serial)) {
          this.#problems.add(path, `${name}, is missing`);
        } else {
          const { group } = block.value;
          if (owner.group !== group) owner = { group, segment: source.name };
          if (owner.segment !== source.name) {
            this.#problems.add(path, `${name}, is in a group of segment ${owner.segment}`);
          }
        }
        const found = this.#database.ids.get(ids.bytesAt(doc), { transaction: this.#transaction });
        if (found?.readDoubleLE(0) !== serial) {
          this.#problems.add(path, `${name}: the id leads to ${found?.readDoubleLE(0) ?? "nothing"}`);
        }
        this.#documents++;
        await this.#pause();
      }
    }
    while (!block.done) block = blocks.next();
    const ids = this.#database.ids.getCount({ transaction: this.#transaction });
    if (ids !== this.#documents)
      this.#problems.add(path, `there are ${ids} ids for ${this.#documents} documents`);
  }

  /** Where a segment is missing, documents can still be read, but not compared; deleted ones are among them. */
  async #documentsAlone(): Promise<void> {
    for (const { docs } of this.#blocks()) {
      this.#documents += docs;
      await turn();
    }
  }

  *#blocks(): Generator<CheckedBlock> {
    const { nextSerial } = this.#record;
    for (const block of checkedBlocks(this.#database, this.#transaction, nextSerial, this.#problems)) {
      this.#bytes += block.bytes;
      yield block;
    }
  }

  async #pause(): Promise<void> {
    if (this.#documents % PROGRESS_STEP !== 0) return;
    this.#step(PROGRESS_STEP);
    await turn();
  }

  #step(docs: number): void {
    this.#done += docs;
    const rows = this.#record.segments.reduce((sum, { docs }) => sum + docs, 0);
    this.#onProgress?.({ stage: "verifying", done: this.#done, total: rows + liveDocs(this.#record) });
  }
}
