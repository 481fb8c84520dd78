// What int8 changes in the vectors of two collections, and in what they rank.

import { join } from "node:path";
import { Encoder } from "../../src/encode/index.ts";
import { type Document, type Query, Sluice } from "../../src/index.ts";
import { formatTable, pairedTTest } from "../../src/lab/index.ts";
import {
  type CollectionEncodings,
  encodeCollection,
  figure,
  type JudgedCollection,
  readJudgedCollection,
  searchAndEvaluate,
} from "./judged-collection.ts";

const COLLECTIONS = ["scifact", "nfcorpus"];

export interface ComparedModel {
  readonly name: string;
  /** The two folders. */
  readonly float32: string;
  readonly int8: string;
  /** Weight of the cosine beside BM25. It is not tuned: it only has to be the same for both. */
  readonly lambda: number;
}

export async function compareInt8Quality(models: readonly ComparedModel[], kept: string): Promise<string> {
  const rows: string[][] = [];
  for (const name of COLLECTIONS) {
    const collection = await readJudgedCollection(name);
    for (const model of models) {
      const exact = await encodeWith(model.float32, collection, join(kept, `${model.name}-float32`));
      const fast = await encodeWith(model.int8, collection, join(kept, `${model.name}-int8`));
      const cosines = exact.documents
        .map(({ vector }, i) => cosine(vector!, fast.documents[i].vector!))
        .sort((a, b) => a - b);
      const cells = [];
      for (const [words, lambda] of [
        [false, 1],
        [true, model.lambda],
      ] as const) {
        const [a, b] = [
          await measureNdcg(collection, exact, words, lambda),
          await measureNdcg(collection, fast, words, lambda),
        ];
        const { p } = pairedTTest([...b.perQuery.values()], [...a.perQuery.values()]);
        cells.push(`${figure(a.mean)} → ${figure(b.mean)} (p ${figure(p)})`);
      }
      const mean = cosines.reduce((sum, x) => sum + x, 0) / cosines.length;
      rows.push([model.name, name, figure(mean), figure(cosines[0]), ...cells]);
      console.error(rows.at(-1)!.join(" | "));
    }
  }
  return formatTable(
    ["", "collection", "mean cosine", "least cosine", "vectors alone, float32 → int8", "BM25 + λ · cosine"],
    rows,
  );
}

async function encodeWith(
  model: string,
  collection: JudgedCollection,
  kept: string,
): Promise<CollectionEncodings> {
  const encoder = await Encoder.open(model);
  try {
    return await encodeCollection(encoder, collection, kept);
  } finally {
    await encoder.close();
  }
}

async function measureNdcg(
  collection: JudgedCollection,
  encoded: CollectionEncodings,
  words: boolean,
  lambda: number,
): Promise<{ mean: number; perQuery: ReadonlyMap<string, number> }> {
  const { documents, queries } = collection;
  const index = await Sluice.build(
    documents.map(({ id, text }, i): Document => ({ id, text, vector: encoded.documents[i].vector! })),
    { encoder: "none", dims: "full" },
  );
  const asked = queries.map(
    ({ text }, i): Query => ({ text: words ? text : "", vector: encoded.queries[i].vector! }),
  );
  const { means, perQuery } = await searchAndEvaluate(index, collection, asked, lambda, ["ndcg@10"]);
  await index.close();
  return { mean: means.get("ndcg@10")!, perQuery: perQuery.get("ndcg@10")! };
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, each, i) => sum + each * y[i], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
