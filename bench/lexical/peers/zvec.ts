// zvec: counts are a text in its full-text index, weights are sparse vectors. It has no inverted index of sparse vectors: it
// scans them (FLAT, exact) or walks a graph (HNSW, approximate, not measured).

import { join } from "node:path";
import type { Adapter, Place } from "../adapter.ts";
import { type Entries, readDocs, readTermIds, textOf } from "../bags.ts";

interface Zvec {
  ZVecInitialize(options: object): void;
  ZVecCollectionSchema: new (schema: object) => object;
  ZVecCreateAndOpen(folder: string, schema: object): Collection;
  ZVecOpen(folder: string): Collection;
  ZVecDataType: Record<"SPARSE_VECTOR_FP32" | "STRING", number>;
  ZVecIndexType: Record<"FLAT" | "FTS", number>;
  ZVecMetricType: Record<"IP", number>;
}

interface Collection {
  insertSync(documents: readonly object[]): { ok: boolean; message: string }[];
  optimizeSync(options: { concurrency: number }): void;
  querySync(query: object): { id: string }[];
  closeSync(): void;
}

/** Documents per insert. */
const BATCH = 500;

export const adapter: Adapter = {
  async build(place) {
    const library = start(place);
    const schema = new library.ZVecCollectionSchema({ name: "bench", ...fields(library, place) });
    const collection = library.ZVecCreateAndOpen(join(place.folder, "collection"), schema);
    const ids = readTermIds(place.data);
    let batch: object[] = [];
    const insert = () => {
      const failed = collection.insertSync(batch).find(({ ok }) => !ok);
      if (failed) throw new Error(`insert: ${failed.message}`);
      batch = [];
    };
    let number = 0;
    for await (const bag of readDocs(place.data)) {
      const id = String(number++);
      batch.push(
        place.kind === "bm25"
          ? { id, vectors: {}, fields: { text: textOf(bag) } }
          : { id, vectors: { sparse: vectorOf(bag, ids) }, fields: {} },
      );
      if (batch.length === BATCH) insert();
    }
    insert();
    collection.optimizeSync({ concurrency: 1 });
    collection.closeSync();
    return undefined;
  },

  async open(place) {
    const library = start(place);
    const collection = library.ZVecOpen(join(place.folder, "collection"));
    const ids = readTermIds(place.data);
    const queryOf = (bag: Entries) =>
      place.kind === "bm25"
        ? { fieldName: "text", fts: { matchString: textOf(bag).trimEnd() } }
        : { fieldName: "sparse", vector: vectorOf(bag, ids) };
    return {
      ways: [
        {
          name: place.kind === "bm25" ? "full text" : "flat sparse vectors",
          exact: true,
          prepare(bag) {
            const query = { ...queryOf(bag), outputFields: [] };
            return (topk) => {
              const hits = collection.querySync({ ...query, topk });
              return () => hits.map(({ id }) => Number(id));
            };
          },
        },
      ],
    };
  },
};

function fields(library: Zvec, { kind }: Place): object {
  const { ZVecDataType: types, ZVecIndexType: indexes, ZVecMetricType: metrics } = library;
  if (kind === "bm25") {
    const indexParams = { indexType: indexes.FTS, tokenizerName: "whitespace", filters: [] };
    return { vectors: [], fields: [{ name: "text", dataType: types.STRING, indexParams }] };
  }
  const indexParams = { indexType: indexes.FLAT, metricType: metrics.IP };
  return { vectors: [{ name: "sparse", dataType: types.SPARSE_VECTOR_FP32, indexParams }], fields: [] };
}

function start({ load }: Place): Zvec {
  const library = load<Zvec>("@zvec/zvec");
  library.ZVecInitialize({ queryThreads: 1, optimizeThreads: 1, logLevel: 2 });
  return library;
}

function vectorOf(bag: Entries, ids: ReadonlyMap<string, number>): Record<number, number> {
  return Object.fromEntries(bag.map(([term, weight]) => [ids.get(term)!, weight]));
}
