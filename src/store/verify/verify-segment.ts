// Verifies one segment: every byte against its checksum, then whether the arrays make sense.

import type { Rows } from "../../densify/rows.ts";
import { unpackUint32s, verifyChecksum } from "../../segment/container/checksum.ts";
import type { Problems } from "../../segment/container/problems.ts";
import { findIndexMismatch } from "../../segment/section-sizes.ts";
import type { SegmentSource } from "../../segment/segment.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { Bits } from "../../support/numbers/bits.ts";
import { waitInBackground } from "../../support/work/turns.ts";
import type { Database, ReadTransaction } from "../database/database.ts";
import type { CommitRecord, CommittedSegment } from "../record/commit-record.ts";

export interface VerifiedSegment {
  readonly source: SegmentSource;
  readonly deleted: Bits | undefined;
}

/** The deletions of a segment; undefined if it has none, or if they make no sense. */
export function readDeletions(
  database: Database,
  transaction: ReadTransaction,
  { name, docs, deleted }: CommittedSegment,
  problems: Problems,
): Bits | undefined {
  const bytes = database.deletions.get(name, { transaction });
  if (deleted === 0 && bytes === undefined) return undefined;
  const words = unpackUint32s(verifyChecksum(bytes, database.path, `the deletions of segment ${name}`));
  if (words.length !== Math.ceil(docs / 32) || (docs % 32 > 0 && words[docs >>> 5] >>> (docs % 32) !== 0)) {
    problems.add(database.path, `the deletions of segment ${name} go beyond its ${docs} documents`);
    return undefined;
  }
  const bits = new Bits(docs, words);
  if (bits.count() !== deleted) {
    problems.add(database.path, `segment ${name} has ${bits.count()} deletions, the record says ${deleted}`);
  }
  return bits;
}

/** Returns whether all bytes match their checksums. Arrays that make no sense are added to the problems. */
export async function verifySegment(
  path: string,
  source: SegmentSource,
  record: CommitRecord,
  before: VerifiedSegment | undefined,
  problems: Problems,
): Promise<boolean> {
  const found = problems.list.length;
  // All sections are verified, even after a damaged one.
  for (const name of source.sections.names) await problems.catch(() => source.sections.verifySection(name));
  if (problems.list.length > found) return false;
  const wrong = (what: string) => problems.add(path, what);
  try {
    await verifyArrays(source, record, before, wrong);
  } catch (error) {
    // The checksums match, so the arrays are as they were written, but they are not what a segment has.
    if (error instanceof SluiceError) throw error;
    wrong(`its arrays cannot be read: ${(error as Error).message}`);
  }
  source.forgetRows();
  return true;
}

async function verifyArrays(
  source: SegmentSource,
  record: CommitRecord,
  before: VerifiedSegment | undefined,
  wrong: (what: string) => void,
): Promise<void> {
  const misfit = findIndexMismatch(source.meta, record);
  if (misfit) wrong(misfit);
  // Each of these takes a while in a large segment, so others get a turn in between.
  const lists = await source.findProblemOfLists();
  await waitInBackground();
  if (lists) wrong(lists);
  else {
    const rows = await source.loadRows();
    await waitInBackground();
    verifyRows(rows, record, wrong);
    await waitInBackground();
  }
  const { ids, serials } = source;
  if (!isAscending(ids.starts) || ids.docs !== source.rowCount || ids.starts[ids.docs] !== ids.bytes.length) {
    wrong("its ids do not fill their section");
  }
  const last = before?.source.serials.at(-1) ?? 0;
  const isOrdered = serials.every((serial, local) => serial > (local === 0 ? last : serials[local - 1]));
  if (serials.length !== source.rowCount || !isOrdered || (serials.at(-1) ?? 0) >= record.nextSerial) {
    wrong("its serial numbers are out of order");
  }
  const factors = await source.loadFactors();
  const hasFactors = factors && factors.starts.length === source.rowCount + 1 && isAscending(factors.starts);
  if (factors && !(hasFactors && factors.starts[source.rowCount] === factors.values.length)) {
    wrong("its factors do not fill their section");
  }
  const fieldLists = await source.loadFieldLists();
  if (Boolean(fieldLists) !== Boolean(record.textFields))
    wrong(`it ${fieldLists ? "has" : "lacks"} counts by field`);
  if (fieldLists && !(fieldLists.isWhole && fieldLists.fields === record.textFields?.length))
    wrong("its counts by field do not fill their sections");
  const columns = await source.columns();
  if (columns.docs !== source.rowCount)
    wrong(`its metadata is of ${columns.docs} documents, not ${source.rowCount}`);
}

function verifyRows(rows: Rows, { settings }: CommitRecord, wrong: (what: string) => void): void {
  const { docs, starts, slices, indices, values, semantic, semanticDims } = rows;
  const slots = starts[docs];
  if (starts.length !== docs + 1 || starts[0] !== 0 || !isAscending(starts)) {
    wrong("its rows are out of order");
    return;
  }
  if (slices.length !== slots || indices.length !== slots || values.length !== slots) {
    wrong(`its rows have ${slots} slots, but ${slices.length} slices`);
    return;
  }
  if (semantic.length !== docs * semanticDims) wrong("its vectors do not fill their section");
  for (let local = 0; local < docs; local++) {
    for (let slot = starts[local]; slot < starts[local + 1]; slot++) {
      const isNext = slot === starts[local] || slices[slot] > slices[slot - 1];
      if (isNext && slices[slot] < settings.dims && indices[slot] < settings.perSlice) continue;
      wrong(
        `document ${local} has slot ${slices[slot]}:${indices[slot]}, which is out of range or out of order`,
      );
      return;
    }
  }
}

function isAscending(numbers: Uint32Array): boolean {
  for (let i = 1; i < numbers.length; i++) if (numbers[i] < numbers[i - 1]) return false;
  return true;
}
