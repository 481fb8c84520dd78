// A folder, or documents in memory → the parts that an index is made of: its store, its query encoder, and what it searches with.

import type { Document } from "../documents/document.ts";
import type { Encoder } from "../encode/encoder.ts";
import { openEncoder, requireEncoder } from "../query/open-encoder.ts";
import { QueryEncoder } from "../query/query-encoder.ts";
import type { KernelOptions } from "../rank/search-options.ts";
import { requireAgreement } from "../store/contradiction.ts";
import {
  type BuildOptions,
  freshIndex,
  type WithOpenEncoder,
  withEncoder,
  withOpenEncoder,
} from "../store/index-options.ts";
import { LiveIndex } from "../store/live-index.ts";
import { addDocuments } from "../store/write/add-documents.ts";
import { checkBuild, checkOpen, type OpenOptions } from "./open-options.ts";
import { SearchRuntime } from "./search-runtime.ts";

/** @internal */
export interface IndexParts {
  readonly live: LiveIndex;
  readonly queryEncoder: QueryEncoder<Encoder>;
  readonly runtime: SearchRuntime;
}

/** @internal Opens the index of a folder. If there is none, the first commit creates it. */
export async function openIndex(folder: string, options: OpenOptions): Promise<IndexParts> {
  checkOpen(folder, options);
  return withOpenEncoder(options, async (ready) => {
    const { readOnly, overwrite, bufferBytes, spreadSample, encoder } = ready;
    const fresh = freshIndex(ready);
    const live = await LiveIndex.open(folder, { readOnly, overwrite, bufferBytes, spreadSample, fresh });
    try {
      if (overwrite)
        fresh(); // refuses wrong options now, not with the first document
      else if (live.snapshot.generation > 0) requireAgreement(folder, live.snapshot, withEncoder(ready));
      if (encoder && !overwrite) requireEncoder(encoder, live.snapshot.encoder);
      return await partsOf(live, ready);
    } catch (error) {
      await live.close();
      throw error;
    }
  });
}

/** @internal Makes an index in memory, with these documents committed. */
export async function buildIndex(
  documents: Iterable<Document> | AsyncIterable<Document>,
  options: BuildOptions & KernelOptions,
): Promise<IndexParts> {
  checkBuild(documents, options);
  return withOpenEncoder(options, async (ready) => {
    const { spreadSample, encoder, encodings, signal, onProgress } = ready;
    const live = LiveIndex.inMemory({ spreadSample, fresh: freshIndex(ready) });
    const add = { upsert: false, ...(encodings && { encodings }), ...(signal && { signal }) };
    await addDocuments(live, async () => encoder, documents, { ...add, ...(onProgress && { onProgress }) });
    await live.commit({ onProgress, signal });
    return partsOf(live, ready);
  });
}

async function partsOf(
  live: LiveIndex,
  options: WithOpenEncoder<BuildOptions & KernelOptions & { rowBytes?: number }>,
): Promise<IndexParts> {
  const { encoder, ownsEncoder } = options;
  const runtime = await SearchRuntime.open(options, live.snapshot.settings.dims);
  return { live, queryEncoder: new QueryEncoder(openEncoder, encoder, ownsEncoder), runtime };
}
