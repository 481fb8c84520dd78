// Tests the store and the retriever as LangChain tests its own vector stores: adding with and without ids, replacing,
// deleting known and unknown ids, filters, ordered scores, retrievers, and the same after reopening.

import { mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Document } from "@langchain/core/documents";
import { Embeddings } from "@langchain/core/embeddings";
import { RunnableLambda } from "@langchain/core/runnables";
import { afterAll, describe, expect, test, vi } from "vitest";
import { writeModel } from "../../test/helpers/onnx.ts";
import { Encoder } from "../encode/index.ts";
import { Sluice } from "../index.ts";
import { SluiceRetriever, type SluiceRetrieverOptions, SluiceVectorStore } from "./index.ts";
import { onMetadata } from "./langchain-documents.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-langchain-"));
let made = 0;
const place = () => join(folder, String(made++));

/** Embeddings in three dimensions, where synonyms have the same direction. */
class Meanings extends Embeddings {
  static readonly #axes = [/boat|ship|vessel/i, /gate|door|sluice/i, /art|paint|bauhaus/i];

  constructor() {
    super({});
  }

  override async embedQuery(text: string): Promise<number[]> {
    return Meanings.#axes.map((axis) => (axis.test(text) ? 1 : 0.01));
  }

  override async embedDocuments(texts: string[]): Promise<number[][]> {
    return Promise.all(texts.map((text) => this.embedQuery(text)));
  }
}

const DOCUMENTS = [
  new Document({
    id: "1",
    pageContent: "A vessel made of wood",
    metadata: { year: 1500, id: "mine", tags: ["a"] },
  }),
  new Document({
    id: "2",
    pageContent: "A door for water",
    metadata: { year: 1600, where: { country: "NL" } },
  }),
  new Document({ id: "3", pageContent: "Bauhaus, a school", metadata: { year: 1919 } }),
];
const ids = (documents: { id?: string }[]) => documents.map(({ id }) => id);
const open: SluiceVectorStore[] = [];
const kept = (store: SluiceVectorStore) => {
  open.push(store);
  return store;
};
afterAll(() => Promise.all(open.map((store) => store.close())));

describe.each([
  ["with embeddings", () => new Meanings()],
  ["with words alone", () => undefined],
])("a store %s", (_name, embeddings) => {
  const filled = async () =>
    kept(await SluiceVectorStore.fromDocuments(DOCUMENTS, embeddings(), { location: place() }));

  test("an empty store finds nothing", async () => {
    const store = kept(await SluiceVectorStore.open(embeddings(), { location: place() }));
    expect(await store.similaritySearch("door")).toEqual([]);
  });

  test("documents come back as they were given, the best first", async () => {
    const store = await filled();
    const found = await store.similaritySearchWithScore("door of the water", 2);
    expect(found[0][0]).toEqual(DOCUMENTS[1]);
    expect(found[0][0]).toBeInstanceOf(Document);
    const scores = found.map(([, score]) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(await store.similaritySearch("bauhaus", 1)).toEqual([DOCUMENTS[2]]);
  });

  test("ids are those given, the documents' own, or new ones", async () => {
    const store = kept(await SluiceVectorStore.open(embeddings(), { location: place() }));
    expect(await store.addDocuments(DOCUMENTS.slice(0, 2), { ids: ["x", "y"] })).toEqual(["x", "y"]);
    expect(await store.addDocuments([DOCUMENTS[2]])).toEqual(["3"]);
    const [fresh] = await store.addDocuments([{ pageContent: "new art", metadata: {} }]);
    expect(fresh).toMatch(/^[0-9a-f-]{36}$/);
    expect(store.index.docs).toBe(4);
    await expect(store.addDocuments(DOCUMENTS, { ids: ["x"] })).rejects.toThrow("1 ids and 3 documents");
  });

  test("adding again replaces", async () => {
    const store = await filled();
    await store.addDocuments([
      new Document({ id: "2", pageContent: "A heron by the water", metadata: { n: 1 } }),
    ]);
    expect(store.index.docs).toBe(3);
    expect((await store.similaritySearch("heron", 1))[0]).toMatchObject({ id: "2", metadata: { n: 1 } });
  });

  test("deleting known and unknown ids", async () => {
    const store = await filled();
    await store.delete({ ids: ["2", "nobody"] });
    expect(ids(await store.similaritySearch("door of the water", 3))).not.toContain("2");
    await expect(store.delete()).rejects.toThrow("{ ids: [ … ] }");
  });

  test("filters on metadata, in a store and in its retriever", async () => {
    const store = await filled();
    const query = "vessel door school";
    const found = async (filter: Parameters<typeof onMetadata>[0]) =>
      ids(await store.similaritySearch(query, 3, filter)).sort();
    expect(await found({ year: { lt: 1919 } })).toEqual(["1", "2"]);
    expect(await found({ "where.country": "NL" })).toEqual(["2"]);
    expect(await found({ or: [{ tags: "a" }, { year: 1919 }] })).toEqual(["1", "3"]);
    expect(await found({ not: { id: "mine" } })).toEqual(["2", "3"]);
    expect(ids(await store.asRetriever(3, { id: "mine" }).invoke(query))).toEqual(["1"]);
  });

  test("a retriever is a step of a chain", async () => {
    const chain = (await filled())
      .asRetriever({ k: 1 })
      .pipe(RunnableLambda.from((documents: { pageContent: string }[]) => documents[0].pageContent));
    expect(await chain.invoke("door")).toBe("A door for water");
    expect(await chain.batch(["door", "bauhaus"])).toEqual(["A door for water", "Bauhaus, a school"]);
  });

  test("a store that was closed opens again", async () => {
    const where = place();
    const store = await SluiceVectorStore.fromDocuments(DOCUMENTS, embeddings(), { location: where });
    await store.close();
    const again = kept(await SluiceVectorStore.open(embeddings(), { location: where }));
    expect(await again.similaritySearch("bauhaus", 1)).toEqual([DOCUMENTS[2]]);
  });

  test("texts, with a temporary folder that goes with the store", async () => {
    const temporary = place();
    mkdirSync(temporary);
    vi.stubEnv("TMPDIR", temporary);
    const store = await SluiceVectorStore.fromTexts(["art", "ships"], [{ id: 2 }, { id: 1 }], embeddings());
    const [first] = await store.similaritySearch("art", 1);
    expect(first).toMatchObject({ pageContent: "art", metadata: { id: 2 } });
    expect(readdirSync(temporary)).toHaveLength(1);
    await store.close();
    expect(readdirSync(temporary)).toEqual([]);
    await expect(SluiceVectorStore.fromTexts(["a", "b"], [{}], embeddings())).rejects.toThrow(
      "2 texts and 1",
    );
  });
});

describe("both parts in one score", () => {
  test("a synonym is found by meaning, a word by itself, and λ weighs them", async () => {
    const store = kept(
      await SluiceVectorStore.fromDocuments(DOCUMENTS, new Meanings(), { location: place() }),
    );
    expect(ids(await store.similaritySearch("ship", 1))).toEqual(["1"]);
    const [[, hybrid]] = await store.similaritySearchWithScore("vessel", 1);
    const { hits } = await store.index.search({
      text: "vessel",
      vector: await new Meanings().embedQuery("vessel"),
    });
    expect(hits[0]).toMatchObject({ id: "1", score: hybrid });
    expect(hits[0].lexical).toBeGreaterThan(0);
    expect(hits[0].semantic).toBeGreaterThan(0.9);
    const none = { location: place(), encoder: "none" };
    const words = kept(await SluiceVectorStore.fromDocuments(DOCUMENTS, undefined, none));
    expect(await words.similaritySearch("ship")).toEqual([]);
    const usual = kept(await SluiceVectorStore.fromDocuments(DOCUMENTS, undefined, { location: place() }));
    expect(usual.index.info().encoder?.name).toBe("static");
    expect(ids(await usual.similaritySearch("ship", 1))).toEqual(["1"]);
  });

  test("a search by vector only, and documents with given vectors", async () => {
    const store = kept(await SluiceVectorStore.open(undefined, { location: place() }));
    await store.addVectors(
      [
        [1, 0],
        [0, 1],
      ],
      DOCUMENTS.slice(0, 2),
    );
    const found = await store.similaritySearchVectorWithScore([0.1, 1], 1);
    expect(found.map(([{ id }, score]) => [id, score.toFixed(2)])).toEqual([["2", "1.00"]]);
    await expect(store.addVectors([[1, 0]], DOCUMENTS)).rejects.toThrow("1 vectors and 3 documents");
  });

  test("maximal marginal relevance keeps one of two equal documents", async () => {
    const alike = [
      ...DOCUMENTS,
      new Document({ id: "4", pageContent: "A vessel made of wood, too", metadata: {} }),
    ];
    const store = kept(await SluiceVectorStore.fromDocuments(alike, new Meanings(), { location: place() }));
    const options = { k: 2, fetchK: 4, lambda: 0.3 };
    expect(ids(await store.similaritySearch("vessel wood", 2)).sort()).toEqual(["1", "4"]);
    const chosen = ids(await store.maxMarginalRelevanceSearch("vessel wood", options));
    expect(chosen.filter((id) => id === "1" || id === "4")).toHaveLength(1);
    const none = { location: place(), encoder: "none" };
    const words = kept(await SluiceVectorStore.fromDocuments(alike, undefined, none));
    await expect(words.maxMarginalRelevanceSearch("vessel", options)).rejects.toThrow("needs vectors");
  });

  test("the index's own encoder", async () => {
    const model = place();
    const pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "school", "vessel", "door"];
    const states = pieces.map((_, i) => [i === 4 ? 1 : 0, i === 5 ? 1 : 0, i === 6 ? 1 : 0.1]);
    writeModel(model, { states }, pieces, {
      kind: "dense",
      pooling: "mean",
      normalize: true,
      maxLength: { query: 16, passage: 32 },
    });
    const encoder = await Encoder.open(model);
    const options = { location: place(), encoder };
    await expect(SluiceVectorStore.open(new Meanings(), options)).rejects.toThrow("not both");
    const store = kept(await SluiceVectorStore.fromDocuments(DOCUMENTS, undefined, options));
    const { hits } = await store.index.search("school");
    expect(store.index.info().semanticDims).toBeGreaterThan(0);
    expect((await store.similaritySearchWithScore("school", 1))[0][1]).toBe(hits[0].score);
  });
});

describe("a retriever over any index", () => {
  test("fields become metadata, filters are on fields, scores on demand", async () => {
    const index = await Sluice.build(
      [
        { id: "a", title: "Lock", text: "raises boats", year: 1500 },
        { id: "b", text: "raises questions", year: 1900 },
      ],
      { encoder: "none" },
    );
    const retriever = new SluiceRetriever({
      index,
      filter: { year: { lt: 1600 } },
      withScores: true,
      tags: ["t"],
    });
    const [found, ...more] = await retriever.invoke("raises");
    expect(more).toEqual([]);
    const { hits } = await index.search("raises");
    expect(found).toMatchObject({
      id: "a",
      pageContent: "raises boats",
      metadata: { title: "Lock", year: 1500 },
    });
    expect(found.metadata.score).toBe(hits.find(({ id }) => id === "a")!.score);
    expect(await new SluiceRetriever({ index, k: 1 }).invoke("raises")).toHaveLength(1);
  });

  test("takes the options of a search as they are", async () => {
    const documents = ["a gate of steel", "a gate of wood", "a lock of steel"];
    const index = await Sluice.build(
      documents.map((text, i) => ({ id: String(i), text })),
      { encoder: "none" },
    );
    const idsFor = async (query: string, options: Partial<SluiceRetrieverOptions>) =>
      ids(await new SluiceRetriever({ index, ...options }).invoke(query));
    expect(await idsFor("gaet", {})).toEqual([]);
    expect(await idsFor("gaet", { typos: true })).toEqual(["0", "1"]);
    expect(await idsFor("gate -wood", { syntax: true })).toEqual(["0"]);
    expect(await idsFor("gate steel", { match: "all" })).toEqual(["0"]);
    const last = {
      path: "last",
      score: async (_: string, texts: readonly string[]) => texts.map((_, i) => i),
    };
    expect(await idsFor("gate", { rerank: { model: last, mix: 1 } })).toEqual(["1", "0"]);
    await expect(idsFor("gate", { limit: 1 } as object)).rejects.toThrow('search has no option "limit"');
  });

  test("leaves out the same ids in every call", async () => {
    const index = await Sluice.build(
      [
        { id: "a", text: "gate" },
        { id: "b", text: "gate" },
      ],
      { encoder: "none" },
    );
    const retriever = new SluiceRetriever({ index, exclude: ["a"].values() });
    for (let call = 0; call < 2; call++) expect(ids(await retriever.invoke("gate"))).toEqual(["b"]);
  });

  test("snippets, and what reranking says, become metadata", async () => {
    const index = await Sluice.build([{ id: "a", text: "a gate" }], { encoder: "none" });
    const model = { path: "one", score: async (_: string, texts: readonly string[]) => texts.map(() => 1) };
    const options = { index, withScores: true, snippets: true, rerank: { model } };
    const [{ metadata }] = await new SluiceRetriever(options).invoke("gate");
    const { hits } = await index.search("gate", { snippets: true, rerank: { model } });
    expect(metadata).toMatchObject({ snippets: hits[0].snippets, rerank: hits[0].rerank });
  });
});

test("filters keep their shape", () => {
  expect(onMetadata({ and: [{ a: 1 }, { not: { "\\not": { in: [1] } } }] })).toEqual({
    and: [{ "metadata.a": 1 }, { not: { "metadata.not": { in: [1] } } }],
  });
});
