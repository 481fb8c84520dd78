// Quality on real collections: at least what other programs reach on the same files, and how much densification may cost.

import { describe, expect, test, vi } from "vitest";
import { WordPiece } from "../src/analyze/index.ts";
import { type BuildOptions, type Document, Sluice } from "../src/index.ts";
import { evaluate, type Run, readBeirCorpus, readBeirQrels, readBeirQueries } from "../src/lab/index.ts";
import { readVectors } from "../src/read/index.ts";
import { readText } from "../src/support/files/text-file.ts";
import { dataPath, noData } from "./helpers/data.ts";

vi.setConfig({ testTimeout: 300_000 }); // indexes collections

if (noData) console.warn(`collections.test.ts is skipped: ${noData}`);

interface Collection {
  documents: Document[];
  figures(
    index: Sluice,
    vectors?: Map<string, Float32Array>,
    lambda?: number,
  ): Promise<{ ndcg: number; recall: number }>;
}

const collections = new Map<string, Promise<Collection>>();

function collection(name: string): Promise<Collection> {
  if (!collections.has(name)) collections.set(name, load(name));
  return collections.get(name)!;
}

async function load(name: string): Promise<Collection> {
  const folder = dataPath("collections", name);
  const documents: Document[] = [];
  for await (const document of readBeirCorpus(folder)) documents.push(document);
  const qrels = await readBeirQrels(folder, "test");
  const queries = await readBeirQueries(folder, qrels);
  return {
    documents,
    async figures(index, vectors, lambda) {
      const run: Run = new Map();
      for (const { id, text } of queries) {
        const vector = vectors?.get(id);
        const query = vector ? { text, vector } : text;
        run.set(id, (await index.search(query, { k: 100, ...(lambda !== undefined && { lambda }) })).hits);
      }
      const { means } = evaluate(run, qrels, ["ndcg@10", "recall@100"], { rule: "stable" });
      return { ndcg: means.get("ndcg@10")!, recall: means.get("recall@100")! };
    },
  };
}

const known = new Map<string, Promise<{ ndcg: number; recall: number }>>();

/** Caches results, so that the same evaluation runs once. */
function figures(name: string, options: BuildOptions) {
  const key = JSON.stringify([
    name,
    options.dims,
    typeof options.analyzer === "string" ? options.analyzer : options.analyzer?.name,
  ]);
  const measured = async () => {
    const { documents, figures } = await collection(name);
    return figures(await Sluice.build(documents, { encoder: "none", analyzer: "english", ...options }));
  };
  if (!known.has(key)) known.set(key, measured());
  return known.get(key)!;
}

async function wordPieces(): Promise<WordPiece> {
  return WordPiece.fromVocabulary(await readText(dataPath("models", "minilm-l6-v2", "vocab.txt")));
}

describe.skipIf(noData)("BM25 with a slice for every term, against Anserini's published figures", () => {
  test.each([
    ["scifact", "english", 0.6789, 0.9253],
    ["nfcorpus", "english", 0.3218, 0.2457],
    ["scifact", "word pieces", 0.6718, 0.9213],
    ["nfcorpus", "word pieces", 0.3142, 0.2441],
  ])("%s, %s: nDCG@10 %f, R@100 %f, within .002", async (name, analyzer, ndcg, recall) => {
    const options: BuildOptions = analyzer === "english" ? { analyzer } : { analyzer: await wordPieces() };
    const found = await figures(name, { dims: "full", ...options });
    expect(Math.abs(found.ndcg - ndcg)).toBeLessThan(0.002);
    expect(Math.abs(found.recall - recall)).toBeLessThan(0.002);
  });
});

describe.skipIf(noData)("what spread slicing costs, in nDCG@10", () => {
  test.each([
    [768, 0.5],
    [256, 1],
    [128, 2.5],
  ])("at %i dims at most %f percent", async (dims, most) => {
    for (const name of ["scifact", "nfcorpus"]) {
      const full = await figures(name, { dims: "full" });
      const sliced = await figures(name, { dims });
      expect((100 * (full.ndcg - sliced.ndcg)) / full.ndcg, name).toBeLessThanOrEqual(most);
    }
  });
});

describe.skipIf(noData)("both parts in one index", () => {
  test("BM25 and MiniLM vectors: better than either, as computed independently", async () => {
    const { documents, figures } = await collection("scifact");
    const vectors = await readVectors(dataPath("vectors", "minilm-l6-v2", "scifact.docs.npy"));
    const queries = await readVectors(dataPath("vectors", "minilm-l6-v2", "scifact.test-queries.npy"));
    const index = await Sluice.build(
      documents.map((document) => ({ ...document, vector: vectors.get(document.id)! })),
      { encoder: "none", dims: 768 },
    );
    // The figures in the README of the data: vectors alone, and both parts at λ 20 with a simpler tokenizer.
    const both = await figures(index, queries, 20);
    expect(Math.abs(both.ndcg - 0.7288)).toBeLessThan(0.01);
    expect(Math.abs(both.recall - 0.9683)).toBeLessThan(0.01);
    const alone = await Sluice.build(
      documents.map(({ id }) => ({ id, vector: vectors.get(id)! })),
      { encoder: "none" },
    );
    const semantic = await figures(alone, queries, 1);
    expect(semantic.ndcg).toBeCloseTo(0.6456, 3);
    expect(semantic.recall).toBeCloseTo(0.9283, 3);
  });
});
