// zvec: full text and an HNSW graph in one collection, merged by ranks or by weighted scores. An exact search can skip the
// graph.

import { join } from "node:path";
import type { EmbeddedPassage, EmbeddedQuery } from "../contract/dataset.ts";
import {
  type Adapter,
  candidates,
  type Engine,
  LEXICAL_WEIGHTS,
  type Place,
  type Way,
} from "../contract/engine.ts";

interface Zvec {
  ZVecInitialize(options: object): void;
  ZVecCollectionSchema: new (schema: object) => object;
  ZVecCreateAndOpen(folder: string, schema: object): Collection;
  ZVecOpen(folder: string): Collection;
  ZVecDataType: Record<"VECTOR_FP32" | "STRING" | "INT32", number>;
  ZVecIndexType: Record<"HNSW" | "FTS" | "INVERT", number>;
  ZVecMetricType: Record<"IP", number>;
}

interface Collection {
  insertSync(documents: readonly object[]): { ok: boolean; message: string }[];
  optimizeSync(options: { concurrency: number }): void;
  querySync(query: object): { id: string }[];
  multiQuerySync(query: object): { id: string }[];
  closeSync(): void;
}

/** The dense half of a query. */
type Dense = (query: EmbeddedQuery, k: number) => object;

export const zvec: Adapter = {
  async build(corpus, place) {
    const library = start(place);
    const { ZVecCollectionSchema, ZVecDataType: types, ZVecIndexType: indexes, ZVecMetricType } = library;
    const schema = new ZVecCollectionSchema({
      name: "bench",
      vectors: [
        {
          name: "dense",
          dataType: types.VECTOR_FP32,
          dimension: corpus.dims,
          indexParams: { indexType: indexes.HNSW, metricType: ZVecMetricType.IP, m: 16, efConstruction: 128 },
        },
      ],
      fields: [
        {
          name: "text",
          dataType: types.STRING,
          indexParams: { indexType: indexes.FTS, tokenizerName: "whitespace", filters: [] },
        },
        { name: "cat", dataType: types.STRING, indexParams: { indexType: indexes.INVERT } },
        { name: "year", dataType: types.INT32 },
      ],
    });
    const collection = library.ZVecCreateAndOpen(join(place.folder, "collection"), schema);
    for await (const batch of corpus.batches(500)) {
      const failed = collection.insertSync(batch.map(documentOf)).find(({ ok }) => !ok);
      if (failed) throw new Error(`insert: ${failed.message}`);
    }
    collection.optimizeSync({ concurrency: 1 });
    collection.closeSync();
  },

  async open(_, place): Promise<Engine> {
    const library = start(place);
    const { HNSW } = library.ZVecIndexType;
    const collection = library.ZVecOpen(join(place.folder, "collection"));
    const numbers = (hits: { id: string }[]) => hits.map(({ id }) => Number(id));
    const ask = (query: object, topk: number) =>
      numbers(collection.querySync({ ...query, topk, outputFields: [] }));
    const lexical = ({ text }: EmbeddedQuery) => ({ fieldName: "text", fts: { matchString: text } });
    const linear = ({ vector }: EmbeddedQuery) => ({
      fieldName: "dense",
      vector,
      params: { indexType: HNSW, isLinear: true },
    });
    const graph = ({ vector }: EmbeddedQuery, k: number) => ({
      fieldName: "dense",
      vector,
      params: { indexType: HNSW, ef: candidates(k) },
    });
    const both = (dense: Dense, rerank: object) => (query: EmbeddedQuery, k: number) => {
      const numCandidates = candidates(k);
      const queries = [lexical(query), dense(query, k)].map((query) => ({ ...query, numCandidates }));
      return numbers(collection.multiQuerySync({ queries, topk: k, outputFields: [], rerank }));
    };
    // It maps each score to 0 … 1 before it weighs them, so no weights give our sum.
    const hybrid = (dense: Dense): Way["forms"] => ({
      rrf: both(dense, { type: "rrf" }),
      ...Object.fromEntries(
        LEXICAL_WEIGHTS.map((lexical) => [
          `weight ${lexical}`,
          both(dense, { type: "weighted", weights: [lexical, 1 - lexical] }),
        ]),
      ),
    });
    return {
      ways: [
        {
          kind: "lexical",
          name: "",
          exact: true,
          forms: { bm25: (query, k) => ask(lexical(query), k) },
        },
        {
          kind: "dense",
          name: "exact",
          exact: true,
          forms: { ip: (query, k) => ask(linear(query), k) },
        },
        {
          kind: "dense",
          name: "HNSW",
          exact: false,
          forms: { ip: (query, k) => ask(graph(query, k), k) },
        },
        { kind: "hybrid", name: "exact dense", exact: true, forms: hybrid(linear) },
        { kind: "hybrid", name: "HNSW", exact: false, forms: hybrid(graph) },
      ],
      close: () => collection.closeSync(),
    };
  },
};

function start({ load }: Place): Zvec {
  const library = load<Zvec>("@zvec/zvec");
  library.ZVecInitialize({ queryThreads: 1, optimizeThreads: 1, logLevel: 2 });
  return library;
}

function documentOf({ id, text, cat, year, vector }: EmbeddedPassage): object {
  return { id: String(id), vectors: { dense: vector }, fields: { text, cat, year } };
}
