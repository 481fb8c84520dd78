// A real encoder and both parts in one index, on real collections.

import { beforeAll, describe, expect, test, vi } from "vitest";
import { indexedText } from "../../src/documents/document.ts";
import { Encoder, readDescription } from "../../src/encode/index.ts";
import { type Document, Sluice } from "../../src/index.ts";
import {
  evaluate,
  type Run,
  readBeirCorpus,
  readBeirQrels,
  readBeirQueries,
  tuneLambda,
} from "../../src/lab/index.ts";
import { readVectors } from "../../src/read/index.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { dataPath, noData } from "../helpers/data.ts";

vi.setConfig({ testTimeout: 300_000 }); // encodes collections

if (noData) console.warn(`encoding.test.ts is skipped: ${noData}`);

const description = new URL("../../examples/models/all-MiniLM-L6-v2.json", import.meta.url).pathname;

async function openMiniLm(): Promise<Encoder> {
  return Encoder.open(dataPath("models", "minilm-l6-v2"), {
    description: await readDescription(description),
  });
}

describe.skipIf(noData)("MiniLM", () => {
  let encoder: Encoder;
  beforeAll(async () => {
    encoder = await openMiniLm();
  });

  test("gives the published numbers", async () => {
    const [{ vector }] = await encoder.encode(["This is an example sentence"], "passage");
    expect(Array.from(vector!.slice(0, 4), (x) => x.toFixed(4))).toEqual([
      "0.0642",
      "0.0635",
      "0.0526",
      "0.0680",
    ]);
  });

  test("gives the vectors that were made elsewhere, long texts and short", async () => {
    const given = await readVectors(dataPath("vectors", "minilm-l6-v2", "scifact.docs.npy"));
    const documents: Document[] = [];
    for await (const document of readBeirCorpus(dataPath("collections", "scifact"))) {
      if (documents.length < 40) documents.push(document);
    }
    const encodings = await encoder.encode(
      documents.map((document) => indexedText(document, document.id)),
      "passage",
    );
    for (const [i, { id }] of documents.entries()) {
      const cosine = given.get(id)!.reduce((sum, x, j) => sum + x * encodings[i].vector![j], 0);
      expect(cosine, id).toBeGreaterThan(0.9999);
    }
  });
});

describe.skipIf(noData)("BM25 and MiniLM in one index, λ from training queries", () => {
  test.each([
    ["scifact", "train", 0.72, 0.96],
    ["nfcorpus", "dev", 0.352, 0.32],
  ])(
    "%s: λ from %s, nDCG@10 at least %f, R@100 at least %f, and 128 slots within 2 percent",
    async (name, split, ndcg, recall) => {
      const folder = dataPath("collections", name);
      const vectors = await readVectors(dataPath("vectors", "minilm-l6-v2", `${name}.docs.npy`));
      const queryVectors = await readVectors(dataPath("vectors", "minilm-l6-v2", `${name}.test-queries.npy`));
      const documents: Document[] = [];
      for await (const document of readBeirCorpus(folder))
        documents.push({ ...document, vector: vectors.get(document.id)! });
      const index = await Sluice.build(documents, { encoder: "none", dims: 768 });

      const training = await readBeirQrels(folder, split);
      const asked = (await readBeirQueries(folder, training)).slice(0, 300);
      const encodings = await (await openMiniLm()).encode(
        asked.map(({ text }) => text),
        "query",
      );
      const queries = asked.map(({ id, text }, i) => ({ id, query: { text, vector: encodings[i].vector! } }));
      const { lambda } = await tuneLambda(index, queries, training);

      const qrels = await readBeirQrels(folder, "test");
      const figures = async (subject: Sluice) => {
        const run: Run = new Map();
        for (const { id, text } of await readBeirQueries(folder, qrels)) {
          run.set(
            id,
            (await subject.search({ text, vector: queryVectors.get(id)! }, { k: 100, lambda })).hits,
          );
        }
        return evaluate(run, qrels, ["ndcg@10", "recall@100"], { rule: "stable" }).means;
      };
      const wide = await figures(index);
      expect(wide.get("ndcg@10")).toBeGreaterThanOrEqual(ndcg);
      expect(wide.get("recall@100")).toBeGreaterThanOrEqual(recall);
      const narrow = await figures(await Sluice.build(documents, { encoder: "none", dims: 128 }));
      expect(narrow.get("ndcg@10")! / wide.get("ndcg@10")!).toBeGreaterThan(0.98);

      if (name !== "scifact") return;
      // Explanations add up, for a thousand random pairs of a query and one of its hits.
      const random = mulberry32(3);
      const test = await readBeirQueries(folder, qrels);
      for (let pair = 0; pair < 1000; pair += 5) {
        const { id, text } = test[Math.floor(random() * test.length)];
        const query = { text, vector: queryVectors.get(id)! };
        const { hits } = await index.search(query, { k: 100, lambda });
        for (let i = 0; i < 5; i++) {
          const hit = hits[Math.floor(random() * hits.length)];
          const { matched, semantic } = await index.explain(query, hit.id, { lambda });
          const sum = matched.reduce((total, { contribution }) => total + contribution, semantic);
          expect(Math.abs(sum - hit.score)).toBeLessThan(1e-4);
        }
      }
    },
  );
});
