// What int8 changes in the vectors of two collections, and in what they rank.

import { join } from "node:path";
import { textOf } from "../../src/documents/document.ts";
import { type Document, Encoder, type Encoding, type Query, Sluice } from "../../src/index.ts";
import {
  encodeKept,
  evaluate,
  formatTable,
  pairedTTest,
  readBeirCorpus,
  readBeirQrels,
  readBeirQueries,
} from "../../src/lab/index.ts";
import { dataPath } from "../bench.ts";

const COLLECTIONS = ["scifact", "nfcorpus"];
const DEPTH = 100;

export interface ComparedModel {
  readonly name: string;
  /** The two folders. */
  readonly float32: string;
  readonly int8: string;
  /** Weight of the cosine beside BM25. It is not tuned: it only has to be the same for both. */
  readonly lambda: number;
}

interface Collection {
  readonly name: string;
  readonly documents: readonly { readonly id: string; readonly text: string }[];
  readonly queries: readonly { readonly id: string; readonly text: string }[];
  readonly qrels: Awaited<ReturnType<typeof readBeirQrels>>;
}

export async function int8Quality(models: readonly ComparedModel[], kept: string): Promise<string> {
  const rows: string[][] = [];
  for (const name of COLLECTIONS) {
    const collection = await read(name);
    for (const model of models) {
      const exact = await encodings(model.float32, collection, join(kept, `${model.name}-float32`, name));
      const fast = await encodings(model.int8, collection, join(kept, `${model.name}-int8`, name));
      const cosines = exact.documents
        .map(({ vector }, i) => cosine(vector!, fast.documents[i].vector!))
        .sort((a, b) => a - b);
      const cells = [];
      for (const [words, lambda] of [
        [false, 1],
        [true, model.lambda],
      ] as const) {
        const [a, b] = [
          await ndcg(collection, exact, words, lambda),
          await ndcg(collection, fast, words, lambda),
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

async function read(name: string): Promise<Collection> {
  const folder = dataPath("collections", name);
  const documents: { id: string; text: string }[] = [];
  for await (const document of readBeirCorpus(folder))
    documents.push({ id: document.id, text: textOf(document, document.id) });
  const qrels = await readBeirQrels(folder, "test");
  return { name, documents, queries: await readBeirQueries(folder, qrels), qrels };
}

interface Encodings {
  readonly documents: readonly Encoding[];
  readonly queries: readonly Encoding[];
}

async function encodings(
  model: string,
  { name, documents, queries }: Collection,
  kept: string,
): Promise<Encodings> {
  const encoder = await Encoder.open(model);
  const onProgress = ({ done, total }: { done: number; total: number }) =>
    process.stderr.write(`\r${model}, ${name}: ${done} of ${total} encoded `);
  const passages = await encodeKept(encoder, documents, "passage", kept, "documents", { onProgress });
  const asked = await encodeKept(encoder, queries, "query", kept, "queries-test");
  await encoder.close();
  return { documents: passages.encodings, queries: asked.encodings };
}

async function ndcg(
  { documents, queries, qrels }: Collection,
  encoded: Encodings,
  words: boolean,
  lambda: number,
): Promise<{ mean: number; perQuery: ReadonlyMap<string, number> }> {
  const index = await Sluice.build(
    documents.map(({ id, text }, i): Document => ({ id, text, vector: encoded.documents[i].vector! })),
    { dims: "full" },
  );
  const asked = queries.map(
    ({ text }, i): Query => ({ text: words ? text : "", vector: encoded.queries[i].vector! }),
  );
  const answers = await index.searchAll(asked, { k: DEPTH, lambda, plan: { kind: "exact" } });
  const run = new Map(
    queries.map(({ id }, i) => [id, answers[i].hits.map(({ id, score }) => ({ id, score }))]),
  );
  const { means, perQuery } = evaluate(run, qrels, ["ndcg@10"], { rule: "stable" });
  await index.close();
  return { mean: means.get("ndcg@10")!, perQuery: perQuery.get("ndcg@10")! };
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, each, i) => sum + each * y[i], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** Formats a figure like .5274. */
function figure(value: number): string {
  return value.toFixed(4).replace(/^0/, "");
}
