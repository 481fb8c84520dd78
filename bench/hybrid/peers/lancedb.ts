// LanceDB: full text, and vectors searched exactly or by its HNSW graph over scalar-quantized vectors. It merges by ranks. A
// hybrid search merges only as many candidates as results, so we ask for more and cut off the rest.

import type { EmbeddedQuery } from "../contract/dataset.ts";
import { type Adapter, candidates, type Way } from "../contract/engine.ts";
import { type Arrow, arrowTable } from "./arrow.ts";

interface LanceDb {
  connect(folder: string): Promise<{
    createTable(name: string, rows: object): Promise<Table>;
    openTable(name: string): Promise<Table>;
    close(): void;
  }>;
  Index: { fts(options: object): object; hnswSq(options: object): object; bitmap(): object };
  rerankers: { RRFReranker: { create(): Promise<object> } };
}

interface Table {
  add(rows: object): Promise<unknown>;
  createIndex(column: string, options: { config: object }): Promise<void>;
  optimize(options?: { cleanupOlderThan: Date; deleteUnverified: boolean }): Promise<unknown>;
  search(text: string, kind: "fts", column: string): Query;
  vectorSearch(vector: Float32Array): Query;
  query(): { nearestTo(vector: Float32Array): Query };
  close(): void;
}

interface Query {
  distanceType(metric: "dot"): Query;
  bypassVectorIndex(): Query;
  ef(width: number): Query;
  refineFactor(factor: number): Query;
  fullTextSearch(text: string, options: { columns: string[] }): Query;
  rerank(reranker: object): Query;
  select(columns: string[]): Query;
  limit(k: number): Query;
  toArrow(): Promise<{ getChild(column: "id"): { toArray(): Int32Array } }>;
}

const WHITESPACE = {
  baseTokenizer: "whitespace",
  withPosition: false,
  lowercase: false,
  stem: false,
  removeStopWords: false,
  asciiFolding: false,
};

export function lancedb({ hasGraph }: { hasGraph: boolean }): Adapter {
  return {
    async build(corpus, { folder, load }) {
      const { connect, Index } = load<LanceDb>("@lancedb/lancedb");
      const connection = await connect(folder);
      let table: Table | undefined;
      for await (const batch of corpus.batches(10_000)) {
        const rows = arrowTable(load<Arrow>("apache-arrow"), batch, corpus.dims);
        if (table) await table.add(rows);
        else table = await connection.createTable("passages", rows);
      }
      await table!.optimize();
      await table!.createIndex("text", { config: Index.fts(WHITESPACE) });
      await table!.createIndex("cat", { config: Index.bitmap() });
      if (hasGraph) {
        const shape = { distanceType: "dot", numPartitions: 1, m: 16, efConstruction: 128 };
        await table!.createIndex("vector", { config: Index.hnswSq(shape) });
      }
      // Delete old versions: the parts before the merge take as many bytes again.
      await table!.optimize({ cleanupOlderThan: new Date(), deleteUnverified: true });
      table!.close();
      connection.close();
    },

    async open(_, { folder, load }) {
      const { connect, rerankers } = load<LanceDb>("@lancedb/lancedb");
      const connection = await connect(folder);
      const table = await connection.openTable("passages");
      const rrf = await rerankers.RRFReranker.create();
      const ask = async (query: Query, limit: number) =>
        Array.from((await query.select(["id"]).limit(limit).toArrow()).getChild("id").toArray());

      const lexical: Way = {
        kind: "lexical",
        name: "",
        exact: true,
        forms: { bm25: ({ text }, k) => ask(table.search(text, "fts", "text"), k) },
      };
      const ways = (name: string, exact: boolean, near: (query: Query, limit: number) => Query): Way[] => [
        {
          kind: "dense",
          name,
          exact,
          forms: { ip: ({ vector }, k) => ask(near(table.vectorSearch(vector).distanceType("dot"), k), k) },
        },
        {
          kind: "hybrid",
          name: exact ? "exact dense" : name,
          exact,
          forms: {
            rrf: async ({ text, vector }: EmbeddedQuery, k) => {
              const limit = candidates(k);
              const nearest = near(table.query().nearestTo(vector).distanceType("dot"), limit);
              const merged = nearest.fullTextSearch(text, { columns: ["text"] }).rerank(rrf);
              return (await ask(merged, limit)).slice(0, k);
            },
          },
        },
      ];
      return {
        ways: hasGraph
          ? ways("HNSW SQ", false, (query, limit) => query.ef(candidates(2 * limit)).refineFactor(2))
          : [lexical, ...ways("exact", true, (query) => query.bypassVectorIndex())],
        close() {
          table.close();
          connection.close();
        },
      };
    },
  };
}
