// A folder, or documents in memory → the backend that `Sluice` calls. The encoder of queries, the threads and the GPU are opened,
// too.

import type { GivenDocuments } from "../documents/document.ts";
import type { Encoder } from "../encode/encoder.ts";
import { refuseEncoder, requireEncoder } from "../encode/encoder-record.ts";
import { openRecordedEncoder } from "../encode/open-encoder.ts";
import { addDocuments } from "../ingest/ingest.ts";
import { LiveIndex } from "../ingest/live-index.ts";
import { requireAgreement } from "../ingest/options/contradiction.ts";
import {
  addEncoderOptions,
  type ResolvedOptions,
  withOpenedEncoder,
} from "../ingest/options/encoder-options.ts";
import type { IndexOptions } from "../ingest/options/index-options.ts";
import { NewIndex } from "../ingest/options/new-index.ts";
import { QueryPreparer } from "../query/prepare/query-preparer.ts";
import type { KernelOptions } from "../scan/contract/kernel-options.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import type { IndexBackend } from "./index-backend.ts";
import { IndexResources } from "./index-resources.ts";
import { LocalBackend } from "./local-backend.ts";
import { type BuildOptions, checkBuild, checkOpen, type OpenOptions } from "./open-options.ts";

/** @internal Opens the index of a folder. If there is none, the first commit creates it. */
export async function openFolderIndex(folder: string, options: OpenOptions): Promise<IndexBackend> {
  checkOpen(folder, options);
  return withOpenedEncoder(options, async (ready) => {
    const { readOnly, create, overwrite, bufferBytes, spreadSample, analyzer } = ready;
    const newIndex = new NewIndex(ready);
    const live = await LiveIndex.open(folder, {
      readOnly,
      create,
      overwrite,
      bufferBytes,
      spreadSample,
      analyzer,
      newIndex,
    });
    try {
      if (overwrite)
        newIndex.requireStart(); // refuses wrong options now, not with the first document
      else if (live.snapshot.generation > 0) {
        requireSameOptions(folder, live.snapshot, options, ready);
      }
      return await createBackend(live, createPreparer(ready), ready);
    } catch (error) {
      await live.close();
      throw error;
    }
  });
}

/** @internal Makes an index in memory, with these documents committed. */
export async function buildMemoryIndex(
  documents: GivenDocuments,
  options: BuildOptions & KernelOptions,
): Promise<IndexBackend> {
  checkBuild(documents, options);
  return withOpenedEncoder(options, async (ready) => {
    const { spreadSample, passages, encodings, signal, onProgress } = ready;
    const live = LiveIndex.inMemory({ spreadSample, newIndex: new NewIndex(ready) });
    const preparer = createPreparer(ready);
    const add = { upsert: false, ...(encodings && { encodings }), ...(signal && { signal }) };
    await addDocuments(live, (record) => preparer.open(record), documents, {
      ...add,
      ...(passages && { passages }),
      ...(onProgress && { onProgress }),
    });
    await live.commit({ onProgress, signal });
    return createBackend(live, preparer, ready);
  });
}

/** @internal Throws if options contradict an index that exists. `ready` are the same options with an open encoder. */
export function requireSameOptions(
  location: string,
  snapshot: Snapshot,
  options: OpenOptions,
  ready: ResolvedOptions<OpenOptions>,
): void {
  requireAgreement(location, snapshot, addEncoderOptions(ready));
  if (options.encoder === "none") refuseEncoder(location, snapshot.encoder);
  else if (ready.encoder) requireEncoder(ready.encoder, snapshot.encoder);
}

/** @internal */
export function createPreparer({
  encoder,
  ownsEncoder,
}: ResolvedOptions<IndexOptions>): QueryPreparer<Encoder> {
  return new QueryPreparer(openRecordedEncoder, encoder, ownsEncoder);
}

async function createBackend(
  live: LiveIndex,
  preparer: QueryPreparer<Encoder>,
  options: KernelOptions & { threads?: number; maxRowBytes?: number },
): Promise<IndexBackend> {
  const resources = await IndexResources.create(options, live.snapshot.slicingSettings.dims);
  return new LocalBackend(live, preparer, resources);
}
