// The last commit of an index on a cluster → an index in a folder, whole or not at all. Rows are weighted by current statistics, as
// after `optimize`.

import type { Document } from "../../documents/document.ts";
import { documentFromRow } from "../../ingest/build/document-from-row.ts";
import { LiveIndex } from "../../ingest/live-index.ts";
import { CopiedStart, resetStatistics } from "../../ingest/options/copied-start.ts";
import type { IndexStart } from "../../ingest/options/row-rules.ts";
import type { Copy } from "../../store/backup/backup.ts";
import { indexExistsError } from "../../store/medium/index-folder.ts";
import { hasPendingSlicing } from "../../store/record/commit-record.ts";
import { toFloat32s } from "../../support/numbers/float16.ts";
import { PROGRESS_STEP } from "../../support/options/progress.ts";
import type { WorkOptions } from "../../support/options/work-options.ts";
import type { ClusterView } from "../commit/cluster-index.ts";
import { toRowWithFactors, unpackStoredRow } from "../rows/stored-row.ts";

interface PullOptions extends WorkOptions {
  readonly overwrite: boolean;
}

/** Copies an index into a folder. An index that is there is replaced only with `overwrite`. */
export async function pullInto(
  folder: string,
  index: ClusterView,
  { overwrite, onProgress, signal }: PullOptions,
): Promise<Copy> {
  const newIndex = new CopiedStart(startOf(index));
  const { analyzer } = index.snapshot.weighting;
  const target = await LiveIndex.open(folder, { newIndex, overwrite, analyzer });
  try {
    if (target.snapshot.generation > 0 && !overwrite) throw indexExistsError(folder);
    await target.change((writer) =>
      writer.add(readDocumentsWithRows(index, { onProgress, signal }), { upsert: false }),
    );
    await target.commit({ onProgress, signal });
    return target.describeCopy();
  } finally {
    await target.close();
  }
}

/** The settings of the index, with no documents counted. */
function startOf({ record, snapshot }: ClusterView): IndexStart {
  const { weighting, slicing, vocabularyKind, lambda, encoder } = snapshot;
  return {
    rowRules: {
      weighting: resetStatistics(weighting, slicing),
      slicing,
      vocabularyKind,
      isSlicingPending: hasPendingSlicing(record),
      keepsPositions: false, // the cluster has none
    },
    lambda,
    ...(encoder && { encoder }),
  };
}

/** All documents, with the vectors, weights and factors that they have. */
async function* readDocumentsWithRows(
  index: ClusterView,
  { onProgress, signal }: WorkOptions,
): AsyncGenerator<Document> {
  const { documents, record } = index;
  if (!documents || !record) return;
  let done = 0;
  for await (const { id, document, row } of documents.readAll(record)) {
    signal?.throwIfAborted();
    const stored = unpackStoredRow(row, index.shape);
    const vector = stored.vector.length > 0 && {
      vector: toFloat32s(stored.vector),
    };
    yield {
      ...documentFromRow(index.snapshot, { ...document, id } as Document, toRowWithFactors(stored)),
      ...vector,
    };
    if (++done % PROGRESS_STEP === 0) onProgress?.({ task: "fetching", done, total: record.docs });
  }
}
