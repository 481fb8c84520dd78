// MiniSearch: BM25 in memory with our parameters; with d 0 its BM25+ is plain BM25.

import type { Adapter } from "../adapter.ts";
import { readDocs, textOf } from "../bags.ts";

interface MiniSearch {
  add(document: { id: number; text: string }): void;
  search(text: string, options: { bm25: { k: number; b: number; d: number } }): { id: number }[];
}

type MiniSearchClass = new (options: {
  fields: string[];
  tokenize: (text: string) => string[];
  processTerm: (term: string) => string;
}) => MiniSearch;

export const adapter: Adapter = {
  async open({ data, load }) {
    const index = new (load<MiniSearchClass>("minisearch"))({
      fields: ["text"],
      tokenize: (text) => text.trimEnd().split(" "),
      processTerm: (term) => term,
    });
    let id = 0;
    for await (const bag of readDocs(data)) index.add({ id: id++, text: textOf(bag) });
    const options = { bm25: { k: 0.9, b: 0.4, d: 0 } };
    return {
      ways: [
        {
          name: "",
          exact: true,
          prepare(bag) {
            const text = textOf(bag).trimEnd();
            return (k) => {
              const hits = index.search(text, options); // it always returns all matches
              return () => hits.slice(0, k).map(({ id }) => id);
            };
          },
        },
      ],
    };
  },
};
