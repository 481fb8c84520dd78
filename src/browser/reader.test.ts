// An export, opened by its URL, gives the same answers as the index in Node. It only uses `fetch`, here from a folder.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { madeUpDocuments, questions, VECTOR_DIMS } from "../../test/browser/corpus.ts";
import { folderFetch } from "../../test/browser/folder-fetch.ts";
import { WordPiece } from "../analyze/index.ts";
import { type Answer, type OpenOptions, type Plan, Sluice } from "../index.ts";
import { queryOf } from "../lab/eval/document-rows.ts";
import { SluiceReader } from "./reader.ts";
import { toFolderUrl } from "./site.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-reader-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const URL_OF_EXPORT = "https://example.org/some/index";

let folders = 0;
const fresh = () => join(root, String(folders++));

/** An answer without the parts that depend on the clock or on the borders of segments. */
const lasting = ({ hits, terms, stats }: Answer) => ({
  hits: hits.map((hit) => ({ ...hit, document: hit.document })),
  terms,
  stats: { plan: stats.plan, exact: stats.exact, docs: stats.allowedCount, usedDims: stats.usedDims },
});

async function exported(index: Sluice, options?: Parameters<Sluice["exportWeb"]>[1]): Promise<string> {
  const folder = fresh();
  await index.exportWeb(folder, options);
  return folder;
}

const openFolder = (folder: string, options: Parameters<typeof SluiceReader.open>[1] = {}) =>
  SluiceReader.open(URL_OF_EXPORT, { fetch: folderFetch(folder, "/some/index/"), ...options });

test("the passages of a document, in the order of its text", async () => {
  const text = ["one", "two", "three"].map((word) => `# ${word}\n\nriver ${word}`).join("\n\n");
  const index = await Sluice.build([{ id: "canal", text }], { encoder: "none", passages: true });
  await index.upsert([{ id: "canal#2", ...(await index.document("canal#2")) }]);
  await index.commit();
  const reader = await openFolder(await exported(index));
  const passages = await reader.passages("canal");
  expect(passages.map(({ id }) => id)).toEqual(["canal#1", "canal#2", "canal#3"]);
  expect(passages).toEqual(await index.passages("canal"));
  await expect(reader.passages("never")).rejects.toMatchObject({ code: "ERR_SLUICE_NO_DOCUMENT" });
  const untold = await openFolder(await exported(index, { keepFields: ["title"] }));
  await expect(untold.passages("canal")).rejects.toThrow("was not exported");
});

describe("a reader answers as the index does", () => {
  const VARIANTS: Record<string, OpenOptions & { vectors?: boolean }> = {
    "by default": {},
    "with a slot for every term": { dims: "full", vectors: false },
    "with full rows": { dims: 16 },
    "with hashed slicing": { slicingStrategy: "hashed", dims: 128, vectors: false },
    "with product codes": { quantize: { parts: 8, bits: 4 }, dims: 64 },
  };
  for (const [name, { vectors = true, ...options }] of Object.entries(VARIANTS)) {
    test(name, async () => {
      const index = await Sluice.open(fresh(), { encoder: "none", ...options });
      // Several segments, some documents deleted, some replaced.
      for (const seed of [1, 2, 3]) {
        await index.upsert(madeUpDocuments(500, seed, { vectors }));
        await index.commit();
      }
      await index.delete(Array.from({ length: 40 }, (_, i) => `doc-1-${i * 7 + 3}`));
      await index.upsert(madeUpDocuments(30, 2, { vectors }));
      await index.commit();
      const reader = await openFolder(await exported(index));
      expect(reader.docs).toBe(index.docs);
      expect(reader.info().slicingSettings).toEqual(index.info().slicingSettings);
      let compared = 0;
      for (const { query, options } of questions(42, { vectors })) {
        const [there, here] = [await index.search(query, options), await reader.search(query, options)];
        // Approximate results depend on the borders of segments, and the export has merged them.
        if (!there.stats.exact || !here.stats.exact) continue;
        compared++;
        expect(lasting(here)).toEqual(lasting(there));
        for (const { id } of there.hits.slice(0, 2)) {
          const lambda = options.lambda ?? 1;
          expect(await reader.explain(query, id, { lambda })).toEqual(
            await index.explain(query, id, { lambda }),
          );
        }
      }
      expect(compared).toBeGreaterThan(30);
      const ids = (await index.listIds()).slice(100, 130);
      expect(await reader.documents(ids)).toEqual(await index.documents(ids));
      await reader.close();
      await index.close();
    });
  }

  test("to approximate plans as well, when a single segment is exported", async () => {
    const index = await Sluice.open(fresh(), { encoder: "none", quantize: { parts: 8, bits: 4 }, dims: 64 });
    await index.add(madeUpDocuments(3000));
    await index.commit();
    const reader = await openFolder(await exported(index));
    const plans: Plan[] = [
      { kind: "pruned", theta: 2, candidates: 50 },
      { kind: "pruned", mass: 0.4, candidates: 50, rescore: false },
      { kind: "inner-product", candidates: 50 },
      { kind: "quantized", candidates: 50 },
    ];
    for (const { query, options } of questions(24)) {
      for (const plan of plans) {
        const asked = { ...options, plan };
        expect(lasting(await reader.search(query, asked))).toEqual(lasting(await index.search(query, asked)));
      }
    }
    await reader.close();
    await index.close();
  });
});

test("an index in memory, and the same after it was saved, is exported too", async () => {
  const index = await Sluice.build(madeUpDocuments(700), { encoder: "none", dims: 48 });
  const reader = await openFolder(await exported(index));
  const folder = fresh();
  await index.save(folder);
  const other = await openFolder(await exported(await Sluice.open(folder, { encoder: "none" })));
  for (const { query, options } of questions(14)) {
    const there = lasting(await index.search(query, options));
    expect(lasting(await reader.search(query, options))).toEqual(there);
    expect(lasting(await other.search(query, options))).toEqual(there);
  }
});

test("word pieces and your own weights", async () => {
  const analyzer = new WordPiece(["[UNK]", "gate", "wat", "##er", "flow", "##s"]);
  const index = await Sluice.build(
    [
      { id: "a", weights: { gate: 2, wat: 1 } },
      { id: "b", weights: { wat: 0.5, "##er": 3, flow: 1 } },
    ],
    { lexical: "weights", analyzer, dims: 4, slicingStrategy: "stride" },
  );
  const reader = await openFolder(await exported(index));
  for (const query of ["water flows", "gate", { weights: { flow: 0.25, gate: 1 } }, queryOf(index, "b")]) {
    expect(lasting(await reader.search(query))).toEqual(lasting(await index.search(query)));
  }
});

/** An export whose manifest names an encoder that a page cannot have. */
async function exportedWithEncoder(encoder: object): Promise<string> {
  const folder = await exported(await Sluice.build(madeUpDocuments(20), { encoder: "none" }));
  const path = join(folder, "manifest.json");
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  manifest.index.encoder = { fingerprint: "00", ...encoder };
  manifest.checksum = crc32(JSON.stringify(manifest.index)).toString(16).padStart(8, "0");
  writeFileSync(path, JSON.stringify(manifest));
  return folder;
}

test("queries that need an encoder use the page's encode function", async () => {
  const folder = await exportedWithEncoder({ path: "minilm", description: { kind: "dense" } });
  const reader = await openFolder(folder);
  await expect(reader.search("w1")).rejects.toThrow(
    "need its encoder (dense, minilm), and the page does not have it",
  );
  expect((await reader.search("w1", { lambda: 0 })).hits.length).toBeGreaterThan(0);
  const vector = new Array(VECTOR_DIMS).fill(0.5);
  const encoding = await openFolder(folder, { encode: async () => ({ vector }) });
  expect((await encoding.search("w1")).hits).toEqual((await reader.search({ text: "w1", vector })).hits);
  const both = await encoding.searchAll(["w1", "w2"]);
  expect(both.map(({ hits }) => hits.length)).toEqual([10, 10]);
  for (const [given, message] of [
    [[...vector.slice(1), Number.NaN], `entry ${VECTOR_DIMS - 1} is NaN`],
    ["abc", 'is "abc", expected a list of numbers'],
  ] as const) {
    const wrong = await openFolder(folder, {
      encode: async () => ({ vector: given as unknown as number[] }),
    });
    await expect(wrong.search("w1")).rejects.toThrow(`the vector that the encoder gives the query`);
    await expect(wrong.search("w1")).rejects.toThrow(message);
  }
  for (const [given, message] of [
    [{}, "encode gave an encoding without vector"],
    [undefined, "encode gave a list with undefined"],
  ] as const) {
    const wrong = await openFolder(folder, { encode: async () => given as object });
    await expect(wrong.search("w1")).rejects.toThrow(message);
    await expect(wrong.encodeQueries(["w1"])).rejects.toThrow(message);
    expect((await wrong.search("w1", { lambda: 0 })).hits.length).toBeGreaterThan(0);
  }
});

test.each([
  [{ kind: "dense" }, "give the query its vector, or search with lambda 0", "w1"],
  [
    { kind: "anchored" },
    "or give the query termFactors ({} for BM25's weights), and its vector or lambda 0",
    { text: "w1", termFactors: {} },
  ],
  [{ kind: "splade" }, "or give the query its weights", { weights: { w1: 1 } }],
  [
    { kind: "delade", semantic: true },
    "or give the query its weights, and its vector or lambda 0",
    { weights: { w1: 1 } },
  ],
])(
  "without the encoder %j, a query that does what the hint says is answered",
  async (description, hint, query) => {
    const folder = await exportedWithEncoder({ path: "model", description });
    const reader = await openFolder(folder);
    await expect(reader.search("w1")).rejects.toMatchObject({
      hint: `open the index with an encode function, ${hint}`,
    });
    expect((await reader.search(query, { lambda: 0 })).hits.length).toBeGreaterThan(0);
  },
);

test("URLs may be written in any common form", () => {
  for (const [given, expected] of [
    ["https://example.org/a/b", "https://example.org/a/b/"],
    ["https://example.org/a/b/", "https://example.org/a/b/"],
    ["https://example.org/a/b/manifest.json", "https://example.org/a/b/"],
    ["https://example.org?x=1#top", "https://example.org/"],
  ]) {
    expect(toFolderUrl(given).href).toBe(expected);
  }
});
