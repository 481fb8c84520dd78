// The last commit of an index in a folder or in memory → the same index on a cluster, with the same rows, in one commit. If it is
// interrupted, the next push of the same commit goes on where it stopped: the cluster keeps a note of how far it got.

import { rowAt } from "../../densify/rows.ts";
import { createEmptySnapshot, createRowRules } from "../../ingest/options/row-rules.ts";
import type { Segment } from "../../segment/segment.ts";
import type { CopyResult } from "../../store/backup/backup.ts";
import { indexExistsError } from "../../store/medium/index-folder.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import type { WorkOptions } from "../../support/options/work-options.ts";
import { ClusterIndex } from "../commit/cluster-index.ts";
import { readRecord } from "../commit/cluster-record.ts";
import type { Connection } from "../connect/connection.ts";
import { createStoredRow } from "../rows/stored-row.ts";
import { type SentDocument, type SentTo, Staging } from "../write/staging.ts";

/** How many documents are sent before the note is written again. More: more is sent twice after an interruption. */
const BATCH_DOCS = 5000;
const NOTE = "push";

/** How far a push got. */
interface PushNote extends SentTo {
  /** What is pushed: the commit of the source. */
  readonly source: string;
  /** The serial number of the last document that arrived. */
  readonly last: number;
}

interface PushOptions extends WorkOptions {
  readonly overwrite: boolean;
}

/** Copies a snapshot to a cluster. An index that is there is replaced only with `overwrite`. */
export async function pushSnapshot(
  snapshot: Snapshot,
  connection: Connection,
  { overwrite, onProgress, signal }: PushOptions,
): Promise<CopyResult> {
  if (!overwrite && (await readRecord(connection))) throw indexExistsError(connection.address.text);
  const empty = createEmptySnapshot({ rowRules: createRowRules({}), lambda: 1 });
  const index = await ClusterIndex.open(connection, { empty }, true);
  await index.createState();
  const source = sourceOf(snapshot);
  const staging = new Staging(index, true);
  const note = await readNote(connection);
  const isSame = note?.source === source && note.generation > (index.record?.generation ?? 0);
  if (note && isSame) staging.resume(note);
  const last = isSame ? note!.last : 0;
  let [done, greatest] = [0, 0];
  for (const segment of snapshot.segments) {
    for await (const batch of readBatches(snapshot, segment)) {
      signal?.throwIfAborted();
      for (const { row } of batch) staging.measure(row);
      await staging.sendRows(
        batch.filter(({ serial }) => serial > last),
        snapshot.slicing,
      );
      done += batch.length;
      greatest = batch.at(-1)!.serial;
      if (greatest > last && staging.sentTo)
        await putNote(connection, { ...staging.sentTo, source, last: greatest });
      onProgress?.({ task: "uploading", done, total: snapshot.docs });
    }
  }
  signal?.throwIfAborted();
  const {
    lambda,
    vocabularyKind,
    slicing,
    weighting,
    semanticDims,
    encoder,
    densifyCounts: counts,
  } = snapshot;
  const isEmpty = snapshot.docs === 0;
  await staging.commit(
    { replacedVersions: new Map(), revoked: new Set() },
    {
      nextSerial: greatest + 1,
      docs: done,
      lambda,
      vocabularyKind,
      counts,
      lexicon: { slicing, weighting },
      isSlicingPending: isEmpty && slicing.settings.strategy === "spread",
      semanticDims: isEmpty ? undefined : semanticDims,
      ...(encoder && { encoder }),
    },
  );
  await connection.askIfThere({ method: "DELETE", path: notePath(connection) });
  return { docs: done, generation: index.record!.generation };
}

/** The documents of a segment that are not deleted, some at a time. */
async function* readBatches(snapshot: Snapshot, segment: Segment): AsyncGenerator<SentDocument[]> {
  const { source, rowCount } = segment;
  const [rows, factors] = [await source.loadRows(), await source.loadFactors()];
  let batch: SentDocument[] = [];
  for (let local = 0; local < rowCount; local++) {
    if (segment.deleted?.get(local)) continue;
    const vector = snapshot.semanticDims > 0 ? await source.readVector(local) : undefined;
    batch.push({
      id: segment.idAt(local),
      serial: source.serials[local],
      row: createStoredRow(rowAt(rows, local), vector, factors?.at(local)),
      json: () => JSON.stringify(segment.document(local)),
    });
    if (batch.length < BATCH_DOCS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** What tells one commit from another, wherever it is kept. */
function sourceOf({
  generation,
  docs,
  slicingSettings: settings,
  densifyCounts: counts,
  semanticDims,
  encoder,
  segments,
}: Snapshot): string {
  const serials = segments.map(({ source }) => [source.serials[0], source.serials.at(-1)]);
  return JSON.stringify({
    generation,
    docs,
    settings,
    counts,
    semanticDims,
    encoder: encoder?.fingerprint,
    serials,
  });
}

function notePath({ address }: Connection): string {
  return `/${address.name}/_doc/${NOTE}`;
}

export async function readNote(connection: Connection): Promise<PushNote | undefined> {
  const found = await connection.askIfThere<{ _source: PushNote }>({
    method: "GET",
    path: notePath(connection),
  });
  return found?._source;
}

async function putNote(connection: Connection, note: PushNote): Promise<void> {
  await connection.ask({ method: "PUT", path: notePath(connection), body: note });
}
