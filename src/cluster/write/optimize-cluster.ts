// An index on a cluster → the same index, written again into a new index of documents: rows are weighted by current statistics, and
// versions that died are gone. A reader of the old one moves on by itself.

import type { Document } from "../../documents/document.ts";
import { documentFromRow } from "../../ingest/build/document-from-row.ts";
import { SegmentBuilder } from "../../ingest/build/segment-builder.ts";
import { Lexicon } from "../../ingest/collect/lexicon.ts";
import { ColumnsBuilder } from "../../segment/columns/columns-builder.ts";
import { hasPendingSlicing } from "../../store/record/commit-record.ts";
import type { WorkOptions } from "../../support/options/work-options.ts";
import type { FoundVersion } from "../commit/cluster-documents.ts";
import type { ClusterIndex, ClusterView } from "../commit/cluster-index.ts";
import { toRowWithFactors, unpackStoredRow } from "../rows/stored-row.ts";
import { Staging } from "./staging.ts";

const encoder = new TextEncoder();

/** How many documents are read before they are sent. */
const BATCH_DOCS = 2000;

/** Writes all documents again, and commits. */
export async function optimizeOnCluster(
  index: ClusterIndex,
  { onProgress, signal }: WorkOptions,
): Promise<void> {
  const { view } = index;
  const { record, documents, snapshot } = view;
  if (!record || !documents) return;
  const staging = new Staging(index, true);
  const batch: FoundVersion[] = [];
  let done = 0;
  const send = async () => {
    signal?.throwIfAborted();
    if (batch.length === 0) return;
    await sendAgain(view, staging, batch);
    done += batch.length;
    batch.length = 0;
    onProgress?.({ task: "merging", done, total: record.docs });
  };
  for await (const version of documents.readAll(record)) {
    batch.push(version);
    if (batch.length === BATCH_DOCS) await send();
  }
  await send();
  const { nextSerial, lambda, vocabulary: vocabularyKind, encoder, semanticDims } = record;
  const { slicing, weighting } = snapshot;
  await staging.commit(
    { replacedVersions: new Map(), revoked: new Set() },
    {
      nextSerial,
      lambda,
      vocabularyKind,
      semanticDims,
      docs: done,
      lexicon: { slicing, weighting },
      isSlicingPending: hasPendingSlicing(record),
      ...(encoder && { encoder }),
    },
  );
}

async function sendAgain(view: ClusterView, staging: Staging, batch: readonly FoundVersion[]): Promise<void> {
  const { slicing, weighting, vocabularyKind, semanticDims } = view.snapshot;
  const lexicon = new Lexicon(weighting, slicing, vocabularyKind, false);
  const builder = new SegmentBuilder(slicing, weighting);
  const semantic = new Uint16Array(batch.length * semanticDims);
  const jsons: Buffer[] = [];
  for (const [i, { id, serial, document, row }] of batch.entries()) {
    const stored = unpackStoredRow(row, view.shape);
    semantic.set(stored.vector, i * semanticDims);
    jsons.push(Buffer.from(JSON.stringify(document)));
    const where = `document ${JSON.stringify(id)}`;
    const again = documentFromRow(view.snapshot, { ...document, id } as Document, toRowWithFactors(stored));
    // Taken out and put in again: the statistics stay as they are.
    if (weighting.kind === "bm25") lexicon.remove(again, where);
    const { length, unknown, ...terms } = lexicon.add(again, where);
    builder.add({ id: encoder.encode(id), serial, terms, length, unknown });
  }
  await staging.send(
    builder.finish({ semanticDims, semantic }, new ColumnsBuilder().finish()),
    jsons,
    slicing,
  );
}
