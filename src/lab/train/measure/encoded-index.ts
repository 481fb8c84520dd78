// Builds a temporary index of encoded texts, in a folder of its own, and deletes it after use.

import { rm } from "node:fs/promises";
import type { Document } from "../../../documents/document.ts";
import type { Query } from "../../../query/ask/query.ts";
import { Sluice } from "../../../sluice.ts";
import type { OnProgress } from "../../../support/options/progress.ts";
import type { AnyEncoder } from "./any-encoder.ts";

interface EncodedIndexOptions {
  /** The folder of the index. It is deleted at the end. */
  readonly folder: string;
  /** The encoder. Default: BM25 alone. */
  readonly encoder?: AnyEncoder;
  /** Add BM25 to an encoder that gives no weights of terms. */
  readonly bm25?: boolean;
  readonly dims: number;
  readonly lambda?: number;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal;
}

interface EncodedIndex {
  readonly index: Sluice;
  /** Encodes texts as queries for the index. */
  encodeQueries(texts: readonly string[]): Promise<Query[]>;
}

/** Texts that are encoded together. */
const BATCH_TEXTS = 128;

/** The lexical part of a text if the encoder gives vectors only. */
const NO_WEIGHTS = { weights: new Map<string, number>() };

/** Indexes the texts and passes the index to `use`. The id of a document is the number of its text. */
export async function withEncodedIndex<T>(
  texts: readonly string[],
  options: EncodedIndexOptions,
  use: (encoded: EncodedIndex) => Promise<T>,
): Promise<T> {
  const { folder, encoder, dims, lambda } = options;
  const readsText = usesBm25(options);
  try {
    const index = await Sluice.open(folder, {
      dims,
      encoder: "none", // the texts are encoded here
      // An encoder's weights fill a whole vocabulary. Spread slicing would need thousands of such documents in memory.
      ...(readsText
        ? { slicingStrategy: "spread" }
        : { lexical: "weights", vocabulary: encoder!.vocabulary, slicingStrategy: "stride" }),
      ...(lambda !== undefined && { lambda }),
    });
    try {
      await index.add(encodeToDocuments(texts, options));
      await index.commit();
      return await use({
        index,
        encodeQueries: async (asked) => {
          const encodings = (await encoder?.encode(asked, "query")) ?? [];
          return asked.map((text, i) => ({ ...(readsText ? { text } : NO_WEIGHTS), ...encodings[i] }));
        },
      });
    } finally {
      await index.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function usesBm25({ encoder, bm25 = false }: EncodedIndexOptions): boolean {
  return !encoder || encoder.gives.termFactors === true || (bm25 && !encoder.gives.weights);
}

async function* encodeToDocuments(
  texts: readonly string[],
  options: EncodedIndexOptions,
): AsyncGenerator<Document> {
  const { encoder, onProgress, signal } = options;
  const readsText = usesBm25(options);
  for (let start = 0; start < texts.length; start += BATCH_TEXTS) {
    signal?.throwIfAborted();
    const batch = texts.slice(start, start + BATCH_TEXTS);
    const encodings = (await encoder?.encode(batch, "passage")) ?? [];
    for (const [i, text] of batch.entries()) {
      yield { id: String(start + i), ...(readsText ? { text } : NO_WEIGHTS), ...encodings[i] };
    }
    onProgress?.({ task: "indexing", done: start + batch.length, total: texts.length });
  }
}
