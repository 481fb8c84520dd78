// An index with an anchored encoder: BM25 where all exponents are 0, the definition's weights where they are not, from documents
// to hits, kept encodings and pages.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { english } from "../../src/analyze/analyzers/english.ts";
import { whitespace } from "../../src/analyze/analyzers/whitespace.ts";
import { SluiceReader } from "../../src/browser/index.ts";
import { Encoder } from "../../src/encode/encoder.ts";
import { encodeWithCache } from "../../src/encode/encoding-cache.ts";
import { LoggedEncoder } from "../../src/encode/logged-encoder.ts";
import { Sluice } from "../../src/sluice.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { folderFetch } from "../browser/folder-fetch.ts";
import { SPECIAL_PIECES, writeModel } from "../helpers/onnx.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-anchored-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const WORDS = "sluice gate canal boat lock river dam weir mill wheel water flood".split(" ");
const PIECES = [...SPECIAL_PIECES, ...WORDS];
/** The state of each piece: its exponent in a passage, in a query, and more. */
const STATES = PIECES.map((_, id) => [Math.sin(id), Math.cos(3 * id), id % 3, 1]);
const product = (at: number, scale: number) => STATES[0].map((_, i) => [i === at ? scale : 0]);

function model(name: string, scale: number): string {
  const path = join(folder, name);
  writeModel(
    path,
    {
      states: STATES,
      products: { passage_exponents: product(0, scale), query_exponents: product(1, scale) },
    },
    PIECES,
    { kind: "anchored", analyzer: "english", maxLength: { query: 12, passage: 20 } },
  );
  return path;
}

function documents(count: number, seed = 1) {
  const random = mulberry32(seed);
  return Array.from({ length: count }, (_, i) => {
    const length = 1 + Math.floor(random() * 30); // some are longer than the model reads
    const words = Array.from({ length }, () => WORDS[Math.floor(random() ** 2 * WORDS.length)]);
    return { id: `d${i}`, title: words[0], text: words.slice(1).join(" ") };
  });
}

/** The factors of a text, by the definition: each word is a piece here. */
function factorsOf(text: string, role: "query" | "passage"): Map<string, number> {
  const kept = role === "query" ? 10 : 18;
  const sums = new Map<string, number[]>();
  const words = text.split(" ");
  const read = words.slice(0, kept).map((word) => {
    const [passage, query] = STATES[PIECES.indexOf(word)];
    return Math.exp(Math.fround(role === "query" ? query : passage));
  });
  const mean = read.reduce((a, b) => a + b) / read.length;
  for (const [i, word] of words.entries()) {
    const factor = i < kept ? read[i] : mean;
    const [term] = english.terms(word);
    sums.set(term, [...(sums.get(term) ?? []), factor]);
  }
  return new Map(Array.from(sums, ([term, all]) => [term, all.reduce((a, b) => a + b) / all.length]));
}

const scoresOf = async (index: Pick<Sluice, "search">, query: Parameters<Sluice["search"]>[0]) => {
  const { hits } = await index.search(query, { k: 500, plan: { kind: "exact" } });
  return hits.map(({ id, score }) => [id, score] as const);
};

const QUERY = "canal boat boat water gate";

describe("an anchored encoder", () => {
  test("gives the factors of the definition, and no weights", async () => {
    const encoder = await Encoder.open(model("definition", 1));
    expect(encoder.gives).toEqual({ weights: false, termFactors: true, vector: false });
    const texts = documents(40).map(({ title, text }) => `${title} ${text}`.trim());
    for (const role of ["query", "passage"] as const) {
      const found = await encoder.encode(texts, role);
      for (const [i, { termFactors, weights }] of found.entries()) {
        expect(weights).toBeUndefined();
        const wanted = factorsOf(texts[i], role);
        expect([...termFactors!.keys()]).toEqual([...wanted.keys()]);
        for (const [term, factor] of wanted) expect(termFactors!.get(term)).toBeCloseTo(factor, 5);
      }
    }
    await encoder.close();
  });

  test("with exponents of 0 an index is BM25 to the last bit, through commits and optimize", async () => {
    const [path, plain] = [join(folder, "zero"), join(folder, "plain")];
    const learned = await Sluice.open(path, { encoder: model("zeros", 0) });
    const bm25 = await Sluice.open(plain, { encoder: "none" });
    const all = documents(120);
    for (const index of [learned, bm25]) {
      for (const half of [all.slice(0, 70), all.slice(70)]) {
        await index.upsert(half);
        await index.commit();
      }
    }
    for (const isOptimized of [false, true]) {
      if (isOptimized) await Promise.all([learned.optimize(), bm25.optimize()]);
      expect(await scoresOf(learned, QUERY)).toEqual(await scoresOf(bm25, QUERY));
    }
    expect(learned.info()).toMatchObject({ lexical: "bm25", encoder: { kind: "anchored" }, semanticDims: 0 });
    await Promise.all([learned.close(), bm25.close()]);
  });

  test("an index weighs documents and queries by it, and opens it again", async () => {
    const path = join(folder, "learned");
    const all = documents(150, 2);
    let index = await Sluice.open(path, { encoder: model("factors", 1) });
    await index.add(all);
    await index.commit();
    await index.close();
    index = await Sluice.open(path);
    const own = await Sluice.build(
      all.map((document) => ({
        ...document,
        termFactors: factorsOf(`${document.title} ${document.text}`.trim(), "passage"),
      })),
    );
    const asked = { text: QUERY, termFactors: factorsOf(QUERY, "query") };
    const [found, wanted] = [new Map(await scoresOf(index, QUERY)), new Map(await scoresOf(own, asked))];
    expect(found.size).toBe(wanted.size);
    for (const [id, score] of wanted) expect(Math.abs(found.get(id)! / score - 1)).toBeLessThan(0.003);
    const [{ factor }] = (await index.explainQuery(QUERY)).terms;
    expect(factor).toBeGreaterThan(0);
    const { matched } = await index.explain(QUERY, [...found.keys()][0]);
    for (const { bm25, queryFactor, documentFactor, contribution } of matched)
      expect(bm25! * queryFactor! * documentFactor!).toBeCloseTo(contribution, 10);
    // A caller's own factors replace the encoder's.
    expect(await scoresOf(index, { text: QUERY, termFactors: {} })).not.toEqual([...found]);
    await Promise.all([index.close(), own.close()]);
  });

  test("rows of slots lose no more than collisions, and pruned plans find the same", async () => {
    const index = await Sluice.build(documents(200, 3), { encoder: model("slots", 1), dims: 64 });
    const exact = await scoresOf(index, QUERY);
    const { hits } = await index.search(QUERY, { k: 10, plan: { kind: "pruned", theta: 0.05 } });
    expect(hits.map(({ id, score }) => [id, score])).toEqual(exact.slice(0, 10));
    await index.close();
  });

  test("kept encodings and logs keep factors", async () => {
    const encoder = await Encoder.open(model("kept", 1));
    const texts = documents(20).map(({ id, text, title }) => ({ id, text: `${title} ${text}`.trim() }));
    const keep = join(folder, "keep");
    const first = await encodeWithCache(encoder, texts, "passage", keep, "documents");
    const again = await encodeWithCache(encoder, texts, "passage", keep, "documents");
    expect(again.isReused).toBe(true);
    expect(again.encodings).toEqual(first.encodings);
    const read = async () => {
      const logged = new LoggedEncoder(encoder, join(folder, "log.encodings"));
      const encodings = await logged.encode(
        texts.map(({ text }) => text),
        "passage",
      );
      await logged.close();
      return encodings;
    };
    expect(await read()).toEqual(first.encodings);
    expect(await read()).toEqual(first.encodings); // from the file
    await encoder.close();
  });

  test("a page asks for factors, and takes them from its encode function or with the query", async () => {
    const encoder = await Encoder.open(model("page", 1));
    const index = await Sluice.build(documents(60, 4), { encoder });
    await index.exportWeb(join(folder, "site"));
    const fetch = folderFetch(folder);
    const bare = await SluiceReader.open("https://pages.test/site/", { fetch });
    await expect(bare.search(QUERY)).rejects.toThrow(/need its encoder \(anchored/);
    const [{ termFactors }] = await encoder.encode([QUERY], "query");
    const wanted = await scoresOf(index, QUERY);
    expect(await scoresOf(bare as never, { text: QUERY, termFactors: termFactors! })).toEqual(wanted);
    const encode = async (text: string) => (await encoder.encode([text], "query"))[0];
    const page = await SluiceReader.open("https://pages.test/site/", { fetch, encode });
    expect(await scoresOf(page as never, QUERY)).toEqual(wanted);
    await Promise.all([bare.close(), page.close(), index.close(), encoder.close()]);
  });

  test("wrong descriptions, analyzers and graphs are refused", async () => {
    const path = model("wrong", 1);
    const description = { kind: "anchored", maxLength: { query: 12, passage: 20 } } as const;
    await expect(Encoder.open(path, { description: description as never })).rejects.toThrow(
      /"analyzer" is one of/,
    );
    const semantic = { ...description, analyzer: "english", semantic: true } as const;
    await expect(Encoder.open(path, { description: semantic })).rejects.toThrow(/no output "semantic"/);
    await expect(Sluice.build([], { encoder: path, analyzer: whitespace })).rejects.toThrow(
      /learned the words of the analyzer english, not of whitespace/,
    );
    await expect(Sluice.build([], { encoder: path, lexical: "weights" })).rejects.toThrow(
      /factors of BM25's weights/,
    );
    const broken = join(folder, "broken");
    const products = { passage_exponents: product(0, Number.NaN), query_exponents: product(1, 1) };
    writeModel(broken, { states: STATES, products }, PIECES, { ...description, analyzer: "english" });
    await expect(Sluice.build(documents(3), { encoder: broken })).rejects.toThrow(/the factor of .* is NaN/);
  });
});
