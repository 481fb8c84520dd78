// An index in memory → the index of a folder, in one commit.

import type { Database, Key, Table } from "../../store/database/database.ts";
import { putDictionary } from "../../store/document-groups.ts";
import type { MemoryMedium } from "../../store/medium/medium.ts";
import {
  type CommitRecord,
  type CommittedSegment,
  countLiveDocs,
  putCommit,
} from "../../store/record/commit-record.ts";
import type { WorkOptions } from "../../support/options/work-options.ts";
import { clearIndex } from "./commit.ts";
import { type CompressedCopy, compressCopy } from "./compress-copy.ts";
import type { Writer } from "./writer.ts";

/** The last commit of an index in memory. */
interface MemorySource extends Pick<MemoryMedium, "database" | "storedSegments"> {
  readonly record: CommitRecord;
}

/** Replaces the index of the writer. */
export async function copyIndex(
  from: MemorySource,
  to: Writer,
  { onProgress, signal }: WorkOptions,
): Promise<void> {
  const { record } = from;
  const { storedSegments, database } = to.medium;
  const names = new Map<string, string>();
  const segments: CommittedSegment[] = [];
  const total = countLiveDocs(record);
  let done = 0;
  for (const { name: old, docs, deleted } of record.segments) {
    signal?.throwIfAborted();
    const name = to.names.take();
    segments.push({ ...(await storedSegments.write(name, from.storedSegments.parts(old))), deleted });
    names.set(old, name);
    done += docs - deleted;
    onProgress?.({ task: "saving", done, total });
  }
  signal?.throwIfAborted();
  const documents = await compressCopy(from.database);
  signal?.throwIfAborted();
  const generation = (to.last?.generation ?? 0) + 1;
  const next: CommitRecord = {
    ...record,
    generation,
    epoch: generation,
    nextSerial: Math.max(record.nextSerial, to.last?.nextSerial ?? 1),
    nextSegment: to.names.next,
    segments,
  };
  to.write(
    () => {
      copyTables(from.database, database, (segment) => names.get(segment)!);
      putDocuments(database, documents);
      putCommit(database, next);
    },
    estimateBytes(from.database, documents),
  );
  const dropped = (to.last?.segments ?? []).map(({ name }) => name);
  to.names.uncommitted.clear();
  to.advance(next);
  await storedSegments.remove(dropped);
}

/** Copies all but the documents. `nameOf` gives a segment's new name. Call it within a transaction of `to`. */
function copyTables(from: Database, to: Database, nameOf: (segment: string) => string): void {
  clearIndex(to);
  to.pending.clearSync();
  copy(from.records, to.records);
  copy(from.ids, to.ids);
  copy(from.vocabulary, to.vocabulary);
  copy(from.dictionaries, to.dictionaries);
  for (const { key, value } of from.deletions.getRange({})) to.deletions.putSync(nameOf(key), value);
}

function copy<K extends Key>(from: Table<K>, to: Table<K>): void {
  for (const { key, value } of from.getRange({})) to.putSync(key, value);
}

function putDocuments(to: Database, { groups, dictionary }: CompressedCopy): void {
  if (dictionary) putDictionary(to, dictionary);
  for (const { last, value } of groups) to.documents.putSync(last, value);
}

/** About how many bytes the copy takes in the database. */
function estimateBytes(from: Database, { groups }: CompressedCopy): number {
  let bytes = groups.reduce((sum, { value }) => sum + value.length + 64, 0);
  for (const table of [from.records, from.ids, from.vocabulary, from.dictionaries]) {
    for (const { value } of (table as Table<never>).getRange({})) bytes += value.length + 64;
  }
  return bytes;
}
