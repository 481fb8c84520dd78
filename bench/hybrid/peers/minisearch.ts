// MiniSearch: lexical search only, in memory. Its BM25 has our parameters; with d 0 its BM25+ is plain BM25.

import type { Adapter } from "../contract/engine.ts";

interface MiniSearch {
  addAll(documents: readonly object[]): void;
  search(text: string, options: { bm25: { k: number; b: number; d: number } }): { id: number }[];
}

type MiniSearchClass = new (options: {
  fields: string[];
  storeFields: string[];
  tokenize: (text: string) => string[];
  processTerm: (term: string) => string;
}) => MiniSearch;

export const minisearch: Adapter = {
  async open(corpus, { load }) {
    const index = new (load<MiniSearchClass>("minisearch"))({
      fields: ["text"],
      storeFields: ["text", "year", "cat"],
      tokenize: (text) => text.split(" "),
      processTerm: (term) => term,
    });
    for await (const batch of corpus.batches(1000)) {
      index.addAll(batch.map(({ id, text, year, cat }) => ({ id, text, year, cat })));
    }
    const options = { bm25: { k: 0.9, b: 0.4, d: 0 } };
    return {
      ways: [
        {
          kind: "lexical",
          name: "",
          exact: true,
          // It always returns all matches.
          forms: {
            bm25: ({ text }, k) =>
              index
                .search(text, options)
                .slice(0, k)
                .map(({ id }) => id),
          },
        },
      ],
      close() {},
    };
  },
};
