// Texts and a speaker → an index for as long as it is needed, in a folder of its own.

import { rm } from "node:fs/promises";
import type { Document } from "../../documents/document.ts";
import type { Query } from "../../query/query.ts";
import { Sluice } from "../../sluice.ts";
import type { Speaker } from "./speaker.ts";

export interface EncodedIndexOptions {
  /** Where the index is meanwhile. */
  readonly folder: string;
  /** BM25 alone when left out. */
  readonly speaker?: Speaker;
  /** Whether BM25 stands beside a speaker that gives no weights of words. */
  readonly bm25?: boolean;
  readonly dims: number;
  readonly lambda?: number;
  readonly onProgress?: (done: number) => void;
  readonly signal?: AbortSignal;
}

export interface EncodedIndex {
  readonly index: Sluice;
  /** Texts as questions to the index. */
  encodeQueries(texts: readonly string[]): Promise<Query[]>;
}

/** Texts that are spoken of together. */
const WINDOW = 128;

/** Of a speaker that gives vectors only. */
const NO_WEIGHTS = { weights: new Map<string, number>() };

/** Ids are the texts' numbers. */
export async function withEncodedIndex<T>(
  texts: readonly string[],
  options: EncodedIndexOptions,
  use: (encoded: EncodedIndex) => Promise<T>,
): Promise<T> {
  const { folder, speaker, dims, lambda } = options;
  const readsText = usesBm25(options);
  try {
    const index = await Sluice.open(folder, {
      dims,
      // A model's weights fill a whole vocabulary: a slicing that first looks at thousands of them would need them in memory.
      ...(readsText
        ? { slicing: "spread" }
        : { lexical: "weights", vocabulary: speaker!.vocabulary, slicing: "stride" }),
      ...(lambda !== undefined && { lambda }),
    });
    try {
      await index.add(encodedDocuments(texts, options));
      await index.commit();
      return await use({
        index,
        encodeQueries: async (asked) => {
          const encodings = (await speaker?.encode(asked, "query")) ?? [];
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

function usesBm25({ speaker, bm25 = false }: EncodedIndexOptions): boolean {
  return !speaker || (bm25 && !speaker.gives.weights);
}

async function* encodedDocuments(
  texts: readonly string[],
  options: EncodedIndexOptions,
): AsyncGenerator<Document> {
  const { speaker, onProgress, signal } = options;
  const readsText = usesBm25(options);
  for (let start = 0; start < texts.length; start += WINDOW) {
    signal?.throwIfAborted();
    const window = texts.slice(start, start + WINDOW);
    const encodings = (await speaker?.encode(window, "passage")) ?? [];
    for (const [i, text] of window.entries()) {
      yield { id: String(start + i), ...(readsText ? { text } : NO_WEIGHTS), ...encodings[i] };
    }
    onProgress?.(start + window.length);
  }
}
