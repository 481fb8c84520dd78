// Texts and a speaker → an index for as long as it is needed, in a folder of its own.

import { rm } from "node:fs/promises";
import type { Document } from "../../documents/document.ts";
import type { Query } from "../../query/query.ts";
import { Sluice } from "../../sluice.ts";
import type { Speaker } from "./speaker.ts";

export interface SpokenIndexOptions {
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

export interface SpokenIndex {
  readonly index: Sluice;
  /** Texts as questions to the index. */
  questions(texts: readonly string[]): Promise<Query[]>;
}

/** Texts that are spoken of together. */
const WINDOW = 128;

/** Of a speaker that gives vectors only. */
const NO_WEIGHTS = { weights: new Map<string, number>() };

/** Ids are the texts' numbers. */
export async function withSpokenIndex<T>(
  texts: readonly string[],
  options: SpokenIndexOptions,
  use: (spoken: SpokenIndex) => Promise<T>,
): Promise<T> {
  const { folder, speaker, dims, lambda } = options;
  const readsText = byBm25(options);
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
      await index.add(spokenDocuments(texts, options));
      await index.commit();
      return await use({
        index,
        questions: async (asked) => {
          const said = (await speaker?.encode(asked, "query")) ?? [];
          return asked.map((text, i) => ({ ...(readsText ? { text } : NO_WEIGHTS), ...said[i] }));
        },
      });
    } finally {
      await index.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function byBm25({ speaker, bm25 = false }: SpokenIndexOptions): boolean {
  return !speaker || (bm25 && !speaker.gives.weights);
}

async function* spokenDocuments(
  texts: readonly string[],
  options: SpokenIndexOptions,
): AsyncGenerator<Document> {
  const { speaker, onProgress, signal } = options;
  const readsText = byBm25(options);
  for (let start = 0; start < texts.length; start += WINDOW) {
    signal?.throwIfAborted();
    const window = texts.slice(start, start + WINDOW);
    const said = (await speaker?.encode(window, "passage")) ?? [];
    for (const [i, text] of window.entries()) {
      yield { id: String(start + i), ...(readsText ? { text } : NO_WEIGHTS), ...said[i] };
    }
    onProgress?.(start + window.length);
  }
}
