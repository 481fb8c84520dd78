// The page's side and the worker's side of an index, with a MessageChannel between them instead of a thread.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MessagePort } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { madeUpDocuments, questions, VECTOR_DIMS } from "../../test/browser/corpus.ts";
import { folderFetch } from "../../test/browser/folder-fetch.ts";
import { Sluice, SluiceError } from "../index.ts";
import type { PairScorer } from "../search/options/rerank-options.ts";
import type { Searchable } from "../search/searchable.ts";
import type { Progress } from "../support/options/progress.ts";
import { SluiceReader } from "./reader.ts";
import type { Port } from "./reader-messages.ts";
import { serveCalls } from "./reader-worker.ts";
import { openInWorker, type WorkerOptions } from "./worker.ts";

const URL_OF_EXPORT = "https://example.org/";
const root = mkdtempSync(join(tmpdir(), "sluice-worker-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeAll(async () => {
  const index = await Sluice.build(madeUpDocuments(600), { encoder: "none", dims: 64 });
  await index.exportWeb(`${root}/export`);
});

const fetch = folderFetch(`${root}/export`);
const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** Two ends of a channel: one runs the worker's side, the other acts as the worker. */
function worker(fetchFrom = fetch) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  serveCalls(port1 as unknown as Port, { fetch: fetchFrom });
  return Object.assign(port2, { terminate: () => port2.close() }) as never;
}

const open = (options: WorkerOptions = {}) => openInWorker(URL_OF_EXPORT, { worker, ...options });

test("answers as a reader does", async () => {
  const progress: number[] = [];
  const reader = await open({ onProgress: ({ done, total = 0 }) => progress.push(done / total) });
  expect(progress.at(-1)).toBe(1);
  const direct = await SluiceReader.open(URL_OF_EXPORT, { fetch });
  expect(reader.docs).toBe(600);
  expect(reader.info()).toEqual(direct.info());
  expect(reader.kernel).toEqual(direct.kernel);
  expect(reader.info()).toEqual(direct.info());
  for (const { query, options } of questions(14)) {
    const [{ hits, terms }, expected] = [
      await reader.search(query, options),
      await direct.search(query, options),
    ];
    expect(hits).toEqual(expected.hits);
    expect(terms).toEqual(expected.terms);
    const lambda = options.lambda ?? 1;
    const [{ id }, last] = [hits[0], hits.at(-1)!];
    expect(await reader.explain(query, id, { lambda })).toEqual(await direct.explain(query, id, { lambda }));
    expect(await reader.document(id)).toEqual(hits[0].document);
    expect(await reader.documents([last.id, id])).toEqual([last.document, hits[0].document]);
  }
  const [answer] = await reader.searchAll(["w1"], { lambda: 0, exclude: new Set(["doc-1-1"]) });
  expect(answer.hits.length).toBe(10);
  await reader.close();
});

test("errors arrive with their hint, and unexpected errors keep their name", async () => {
  const reader = await open();
  const error = await reader.search({ vector: [1] }).catch((error) => error);
  expect(error).toBeInstanceOf(SluiceError);
  expect(error.hint).toContain("encode queries with the encoder");
  expect((await reader.search("w1")).notices).toMatchObject([{ code: "words_only" }]);
  await expect(reader.search("w1", { k: -1 })).rejects.toThrow("k must be");
  await expect(reader.search("w1", { exclude: "w" })).rejects.toThrow("exclude must be a list of ids");
  await expect(reader.search((() => {}) as never)).rejects.toThrow("could not be cloned");
  await expect(reader.search(null as never)).rejects.toThrow("a query must be a text");
  const missing = await openInWorker(URL_OF_EXPORT, {
    worker: () => worker(folderFetch("/nowhere")),
  }).catch((error) => error);
  expect(missing).toBeInstanceOf(SluiceError);
  expect(missing.message).toContain("not found (404)");
  await reader.close();
});

test("a page and its worker can do what Node can do, read-only", async () => {
  const index = await Sluice.build(madeUpDocuments(600), { dims: 64 });
  const readers = [await open(), await SluiceReader.open(URL_OF_EXPORT, { fetch })];
  const { hits, terms } = await index.search("w1 w2", { lambda: 0 });
  const plan = { kind: "pruned", theta: 1 } as const;
  for (const reader of readers) {
    const same = async (ask: (asked: Searchable) => unknown) =>
      expect(await ask(reader)).toEqual(await ask(index));
    await same(({ docs, hasOwnVectors }) => [docs, hasOwnVectors]);
    await same((reader) => reader.listIds());
    await same((asked) => asked.explainQuery("w1 w2", { lambda: 0, plan }));
    await same((asked) => asked.highlight(new Set(terms), hits[0].document));
    await same((asked) => asked.vector(hits[0].id));
    await same((asked) => asked.fields());
    await same((asked) => Promise.all([asked.has(hits[0].id), asked.has("nobody")]));
    await same((asked) => asked.documents(hits.map(({ id }) => id)));
    await same((asked) => asked.documents(new Set(hits.map(({ id }) => id)).values()));
    await expect(reader.documents(hits[0].id)).rejects.toThrow("ids must be a list of ids");
    const filter = { year: { gte: 1950 } };
    const first = await reader.list({ filter, limit: 20 });
    expect(first).toMatchObject({ total: expect.any(Number), next: expect.any(String) });
    await same((asked) => asked.list({ filter, limit: 20 }));
    await same((asked) => asked.passages("doc-1-1", { fields: ["year"] }));
    await same((asked) => asked.list({ filter, after: first.next, fields: ["year"] }));
    await expect(reader.list({ filter: { text: "w1" } })).rejects.toThrow("is searched, not filtered");
    await same((asked) => asked.encodeQueries(["w1"]));
    await expect(reader.vector("nobody")).rejects.toThrow('no document has the id "nobody"');
    await expect(reader.explainQuery("w1", { theta: 1 } as never)).rejects.toThrow("theta");
    await expect(reader.encodeQueries(["w1"], { every: 1 } as never)).rejects.toThrow("every");
    await reader[Symbol.asyncDispose]();
    await expect(reader.fields()).rejects.toMatchObject({ code: "ERR_SLUICE_CLOSED" });
  }
});

test("encoding queries in a worker reports its progress", async () => {
  const documents = madeUpDocuments(50).map(({ id, text }) => ({ id, text: text as string }));
  const index = await Sluice.build(documents, { encoder: "static" });
  await index.exportWeb(`${root}/static`);
  const reader = await open({ worker: () => worker(folderFetch(`${root}/static`)) });
  const seen: Progress[] = [];
  const texts = ["water", "a lock"];
  const queries = await reader.encodeQueries(texts, { onProgress: (progress) => seen.push(progress) });
  expect(queries).toEqual(await index.encodeQueries(texts));
  expect(seen.at(-1)).toEqual({ task: "encoding", done: 2, total: 2 });
  await Promise.all([reader.close(), index.close()]);
});

test("hits are reranked by the page's own function, as in Node", async () => {
  const byLength: PairScorer = {
    path: "by-length",
    score: async (_, texts) => texts.map((text) => text.length),
  };
  const index = await Sluice.build(madeUpDocuments(600), { dims: 64 });
  const readers = [await open(), await SluiceReader.open(URL_OF_EXPORT, { fetch })];
  const options = {
    lambda: 0,
    k: 5,
    offset: 3,
    fields: [],
    highlight: true,
    rerank: { model: byLength, top: 20, mix: 0.7 },
  };
  const [expected] = await index.searchAll(["w1 w2"], options);
  expect(new Set(expected.hits.map(({ rerank }) => rerank!.rankBefore)).size).toBe(5);
  for (const reader of readers) {
    const [answer] = await reader.searchAll(["w1 w2"], options);
    expect(answer.hits).toEqual(expected.hits.map((hit) => ({ ...hit })));
    expect((await reader.search("w1 w2", options)).hits).toEqual(answer.hits);
    expect(answer.stats.rerank).toMatchObject({ model: "by-length", hits: 20, mix: 0.7 });
    const folder = { ...options, rerank: { model: "folder" } };
    await expect(reader.search("w1", folder)).rejects.toThrow("a page cannot open a folder");
    await expect(reader.search("w1", { ...options, k: -1 })).rejects.toThrow("k must");
    await reader.close();
  }
});

test("a page's reranking reads the same texts as Node: those of the text fields, and a query without its operators", async () => {
  const documents = madeUpDocuments(200).map(({ id, text }, i) => {
    return { id, title: `w${i % 7}`, tags: [`w${i % 3}`, `w${i % 5}`], text };
  });
  const index = await Sluice.build(documents, {
    encoder: "none",
    fieldWeights: { title: 2, tags: 1 },
    positions: true,
  });
  await index.exportWeb(`${root}/fields`);
  const reader = await open({ worker: () => worker(folderFetch(`${root}/fields`)) });
  const read: string[][] = [];
  const noting: PairScorer = {
    path: "noting",
    score: async (query, texts) => {
      read.push([query, ...texts]);
      return texts.map((text) => text.length);
    },
  };
  const options = { k: 5, rerank: { model: noting, top: 20 } };
  for (const [query, syntax] of [
    ["w1 w2", false],
    ['+w1 "w2" title:w3 -w4', true],
    [{ must: ["w1", "w2"] }, false],
  ] as const) {
    const expected = await index.search(query, { ...options, syntax });
    expect(expected.hits.length).toBeGreaterThan(2);
    const answer = await reader.search(query, { ...options, syntax });
    expect(answer.hits).toEqual(expected.hits.map((hit) => ({ ...hit })));
    expect(answer.notices).toEqual(expected.notices);
    const [inNode, inPage] = read.splice(0);
    expect(inPage).toEqual(inNode);
    expect(inNode.length).toBeGreaterThan(3);
    expect(inNode[0]).not.toMatch(/[+"]/);
  }
  await Promise.all([reader.close(), index.close()]);
});

test("an error of the page's own function rejects its search, and an abort ends the scoring", async () => {
  const reader = await open();
  const own = new TypeError("out of tokens");
  const failing: PairScorer = { path: "failing", score: () => Promise.reject(own) };
  const search = (model: unknown, signal?: AbortSignal) =>
    reader.search("w1", { lambda: 0, rerank: { model: model as PairScorer }, signal });
  expect(await search(failing).catch((error) => error)).toBe(own);
  const wrong = { path: "wrong", score: async () => [1] };
  await expect(search(wrong)).rejects.toThrow("score gave 1 scores, expected a list of");
  const functions = { path: "functions", score: async () => [() => 1] };
  await expect(search(functions)).rejects.toThrow("could not be cloned");
  await expect(search({ path: "none" })).rejects.toThrow("rerank.model");
  const controller = new AbortController();
  const seen: (AbortSignal | undefined)[] = [];
  const waiting: PairScorer = {
    path: "waiting",
    score: (_, __, options) => {
      seen.push(options?.signal);
      controller.abort(new Error("enough"));
      return new Promise(() => {});
    },
  };
  await expect(search(waiting, controller.signal)).rejects.toThrow("enough");
  expect(seen).toEqual([controller.signal]);
  const fine = { path: "fine", score: async (_: string, texts: readonly string[]) => texts.map(() => 1) };
  expect((await search(fine)).stats.rerank).toMatchObject({ model: "fine", mix: 0.5 });
  await reader.close();
});

test("a search that is aborted before it starts never runs", async () => {
  const reader = await open();
  const controllers = Array.from({ length: 20 }, () => new AbortController());
  const searches = controllers.map(({ signal }, i) =>
    reader.search(`w${i}`, { lambda: 0, signal }).then(
      () => "answered",
      (error) => error.name,
    ),
  );
  for (const controller of controllers.slice(0, -1)) controller.abort();
  expect(await Promise.all(searches)).toEqual([...new Array(19).fill("AbortError"), "answered"]);
  await reader.close();
});

test("closing rejects pending calls, and aborting the opening ends the worker", async () => {
  const reader = await open();
  const under = reader.search("w1", { lambda: 0 }).catch((error) => error.message);
  await reader.close();
  expect(await under).toBe("the index was closed");
  await expect(reader.search("w1")).rejects.toThrow("the index was closed");

  let ended = false;
  const controller = new AbortController();
  const opening = open({
    signal: controller.signal,
    worker: () => Object.assign(worker() as object, { terminate: () => (ended = true) }) as never,
  });
  controller.abort(new Error("enough"));
  await expect(opening).rejects.toThrow("enough");
  expect(ended).toBe(true);
});

test("a failing worker rejects pending calls", async () => {
  const silent = { postMessage() {}, onmessage: null, onerror: null as never, terminate() {} };
  const opening = open({ worker: () => silent });
  (silent.onerror as (event: object) => void)({ message: "SyntaxError: nonsense" });
  await expect(opening).rejects.toThrow("the worker of the index failed: SyntaxError: nonsense");
});

test("texts are encoded by the page's own function", async () => {
  const texts: string[] = [];
  const vector = Float32Array.from({ length: VECTOR_DIMS }, (_, i) => (i % 3) - 1);
  const reader = await open({
    encode: async (text) => {
      texts.push(text);
      if (text === "w13") throw new SluiceError("too unlucky", "ask for another");
      return { vector };
    },
  });
  const [byPage, given] = [
    await reader.search("w1 w2", { lambda: 5 }),
    await reader.search({ text: "w1 w2", vector }, { lambda: 5 }),
  ];
  expect(byPage.hits).toEqual(given.hits);
  expect(texts).toEqual(["w1 w2"]);
  await reader.search("w1 w2", { lambda: 0 });
  expect(texts.length).toBe(1);
  await expect(reader.search("w13")).rejects.toThrow("too unlucky");
  await reader.close();
});
