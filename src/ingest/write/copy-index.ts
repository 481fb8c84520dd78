// An index in memory → the index of a folder, in one commit.

import { compressCopy } from "../../store/commit/compress-copy.ts";
import { copyTables, estimateBytes } from "../../store/commit/copy-tables.ts";
import type { MemoryMedium } from "../../store/medium/medium.ts";
import { type CommitRecord, type CommittedSegment, countDocs } from "../../store/record/commit-record.ts";
import type { WorkOptions } from "../../support/options/work-options.ts";
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
  const total = countDocs(record);
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
    () =>
      copyTables(from.database, database, { record: next, documents, nameOf: (name) => names.get(name)! }),
    estimateBytes(from.database, documents),
  );
  const dropped = (to.last?.segments ?? []).map(({ name }) => name);
  to.names.uncommitted.clear();
  to.advance(next);
  await storedSegments.remove(dropped);
}
