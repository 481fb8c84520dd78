// Orama: lexical and dense search in memory, always exact. A hybrid search scales both scores to 0 … 1 and adds them with
// weights.

import { type Adapter, type Engine, LEXICAL_WEIGHTS } from "../contract/engine.ts";

interface Orama {
  create(options: object): object;
  insertMultiple(index: object, documents: readonly object[], batchSize: number): Promise<unknown>;
  search(index: object, query: object): Promise<{ hits: { id: string }[] }>;
}

export const orama: Adapter = {
  async open({ dims, batches }, { load }): Promise<Engine> {
    const { create, insertMultiple, search } = load<Orama>("@orama/orama");
    const index = create({
      schema: { text: "string", year: "number", cat: "enum", vector: `vector[${dims}]` },
      components: {
        tokenizer: {
          language: "english",
          normalizationCache: new Map(),
          tokenize: (text: string) => text.split(" "),
        },
      },
    });
    for await (const batch of batches(1000)) {
      const documents = batch.map(({ id, vector, ...rest }) => ({
        ...rest,
        id: String(id),
        vector: [...vector],
      }));
      await insertMultiple(index, documents, documents.length);
    }
    const ask = async (query: object, limit: number) =>
      (await search(index, { ...query, limit })).hits.map(({ id }) => Number(id));
    // Finds every document with any of the terms, scored by BM25 with our parameters.
    const lexical = (term: string) => ({
      term,
      properties: ["text"],
      threshold: 1,
      relevance: { k: 0.9, b: 0.4, d: 0 },
    });
    const dense = (vector: Float32Array) => ({
      vector: { value: [...vector], property: "vector" },
      similarity: 0,
    });
    const weighted = (text: number) => ({ mode: "hybrid", hybridWeights: { text, vector: 1 - text } });
    return {
      ways: [
        {
          kind: "lexical",
          name: "",
          exact: true,
          forms: {
            prefixes: ({ text }, k) => ask(lexical(text), k),
            exact: ({ text }, k) => ask({ ...lexical(text), exact: true }, k),
          },
        },
        {
          kind: "dense",
          name: "exact",
          exact: true,
          forms: { cosine: ({ vector }, k) => ask({ mode: "vector", ...dense(vector) }, k) },
        },
        {
          kind: "hybrid",
          name: "exact dense",
          exact: true,
          forms: Object.fromEntries(
            LEXICAL_WEIGHTS.map((weight) => [
              `weight ${weight}`,
              ({ text, vector }, k) => ask({ ...lexical(text), ...dense(vector), ...weighted(weight) }, k),
            ]),
          ),
        },
      ],
      close() {},
    };
  },
};
