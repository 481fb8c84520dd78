// Factors of BM25's weights, from documents and queries to hits: with factors of 1 an index is BM25 to the last bit, and with
// others every score is the plain definition's, through commits, merges, `optimize`, reopening and exports.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { english } from "../../src/analyze/analyzers/english.ts";
import { SluiceReader } from "../../src/browser/index.ts";
import { countTerms } from "../../src/documents/bag.ts";
import type { Document } from "../../src/documents/document.ts";
import { Sluice } from "../../src/sluice.ts";
import { roundToFloat16 } from "../../src/support/numbers/float16.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { BM25_DEFAULTS, idf, termPart } from "../../src/weigh/bm25.ts";
import { folderFetch } from "../browser/folder-fetch.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-factors-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const WORDS = "sluice gate canal boat lock river dam weir mill wheel water flood level pump valve".split(" ");

interface Text {
  readonly id: string;
  readonly text: string;
  readonly termFactors: Map<string, number>;
}

/** Texts of random words, with a random factor for most of their terms. */
function texts(docs: number, seed: number, factor: (random: () => number) => number): Text[] {
  const random = mulberry32(seed);
  return Array.from({ length: docs }, (_, i) => {
    const length = 1 + Math.floor(random() * 30);
    const words = Array.from({ length }, () => WORDS[Math.floor(random() ** 2 * WORDS.length)]);
    const text = words.join(" ");
    const terms = english.terms(text).filter(() => random() < 0.8);
    return { id: `d${i}`, text, termFactors: new Map(terms.map((term) => [term, factor(random)])) };
  });
}

const uneven = (random: () => number) => Math.exp(2 * random() - 1);
const QUERY = "the canal boat, a boat and the water level";

/** Scores by the definition: Σ count · idf · query factor · tf part · document factor, each side rounded to float16. */
function definition(documents: readonly Text[], query: string, queryFactors: ReadonlyMap<string, number>) {
  const bags = documents.map(({ text }) => countTerms(english.terms(text)));
  const lengths = documents.map(({ text }) => english.terms(text).length);
  const average = lengths.reduce((sum, length) => sum + length, 0) / documents.length;
  const scores = documents.map(({ id, termFactors }, i) => {
    let score = 0;
    for (const [term, asked] of countTerms(english.terms(query))) {
      const tf = bags[i].get(term);
      if (!tf) continue;
      const df = bags.filter((bag) => bag.has(term)).length;
      const queryWeight = asked * idf(documents.length, df) * (queryFactors.get(term) ?? 1);
      const factor = roundToFloat16(termFactors.get(term) ?? 1);
      const documentWeight = termPart(tf, lengths[i], average, BM25_DEFAULTS) * factor;
      score += roundToFloat16(queryWeight) * roundToFloat16(documentWeight);
    }
    return [id, score] as const;
  });
  return new Map(scores.filter(([, score]) => score > 0));
}

async function scoresOf(index: Pick<Sluice, "search">, termFactors: ReadonlyMap<string, number>) {
  const { hits } = await index.search({ text: QUERY, termFactors }, { k: 1000, plan: { kind: "exact" } });
  return new Map(hits.map(({ id, score }) => [id, score]));
}

function expectSame(found: Map<string, number>, wanted: Map<string, number>): void {
  expect([...found.keys()].sort()).toEqual([...wanted.keys()].sort());
  for (const [id, score] of wanted) expect(found.get(id), id).toBeCloseTo(score, 10);
}

describe("term factors", () => {
  const queryFactors = new Map([
    ["boat", 1.7],
    ["level", 0.4],
  ]);

  test("scores are the definition's, after commits, deletions, optimize and reopening", async () => {
    const documents = texts(300, 1, uneven);
    const path = join(folder, "kept");
    let index = await Sluice.open(path, { encoder: "none" });
    for (let start = 0; start < documents.length; start += 60) {
      await index.add(documents.slice(start, start + 60));
      await index.commit();
    }
    await index.delete(documents.slice(0, 40).map(({ id }) => id));
    const left = documents.slice(40);
    await index.optimize();
    expectSame(await scoresOf(index, queryFactors), definition(left, QUERY, queryFactors));
    await index.close();
    index = await Sluice.open(path, { readOnly: true });
    expectSame(await scoresOf(index, queryFactors), definition(left, QUERY, queryFactors));
    expect((await Sluice.verify(path)).problems).toEqual([]);
    await index.close();
  });

  test("a merge without weighting again keeps factors for a later one", async () => {
    const documents = texts(400, 2, uneven);
    const path = join(folder, "merged");
    const index = await Sluice.open(path, { encoder: "none" });
    // Many segments: merges run in the background.
    for (let start = 0; start < documents.length; start += 10) {
      await index.add(documents.slice(start, start + 10));
      await index.commit();
    }
    await index.optimize();
    expectSame(await scoresOf(index, queryFactors), definition(documents, QUERY, queryFactors));
    await index.close();
  });

  test("factors of 1 are BM25 to the last bit, also after optimize", async () => {
    const documents = texts(200, 3, () => 1);
    const plain = documents.map(({ id, text }) => ({ id, text }));
    const ones = new Map(english.terms(QUERY).map((term) => [term, 1]));
    for (const dims of ["full", 8] as const) {
      const paths = [join(folder, `ones-${dims}`), join(folder, `plain-${dims}`)];
      const [learned, bm25] = await Promise.all(
        paths.map((path) => Sluice.open(path, { dims, encoder: "none" })),
      );
      for (let start = 0; start < documents.length; start += 100) {
        await learned.add(documents.slice(start, start + 100));
        await bm25.add(plain.slice(start, start + 100));
        await Promise.all([learned.commit(), bm25.commit()]);
      }
      for (const isOptimized of [false, true]) {
        if (isOptimized) await Promise.all([learned.optimize(), bm25.optimize()]);
        const { hits } = await bm25.search(QUERY, { k: 1000, plan: { kind: "exact" } });
        expect(hits.length).toBeGreaterThan(50);
        expect([...(await scoresOf(learned, ones))]).toEqual(hits.map(({ id, score }) => [id, score]));
      }
      await Promise.all([learned.close(), bm25.close()]);
    }
  });

  test("a page gets the same scores and explanations from an export", async () => {
    const documents = texts(150, 4, uneven);
    const index = await Sluice.build(documents, { encoder: "none" });
    await index.exportWeb(join(folder, "site"));
    const page = await SluiceReader.open("https://pages.test/site/", { fetch: folderFetch(folder) });
    const asked = { text: QUERY, termFactors: queryFactors };
    const [here, there] = await Promise.all([
      scoresOf(index, queryFactors),
      scoresOf(page as never, queryFactors),
    ]);
    expect([...there]).toEqual([...here]);
    const [id] = [...here.keys()];
    expect(await page.explain(asked, id)).toEqual(await index.explain(asked, id));
    await Promise.all([page.close(), index.close()]);
  });

  test("an explanation shows BM25's value and both factors, and adds up", async () => {
    const documents = texts(80, 5, uneven);
    const index = await Sluice.build(documents, { encoder: "none" });
    const plain = await Sluice.build(
      documents.map(({ id, text }) => ({ id, text })),
      { encoder: "none" },
    );
    const asked = { text: QUERY, termFactors: queryFactors };
    const { hits } = await index.search(asked, { k: 20 });
    for (const { id, score } of hits) {
      const { matched, lexical, terms } = await index.explain(asked, id);
      const bm25 = await plain.explain(QUERY, id);
      expect(lexical).toBe(score);
      expect(matched.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(score, 10);
      for (const { term, bm25: value, queryFactor, documentFactor, contribution } of matched) {
        const { termFactors } = documents.find((document) => document.id === id)!;
        expect(documentFactor).toBe(roundToFloat16(termFactors.get(term) ?? 1));
        expect(queryFactor).toBe(queryFactors.get(term) ?? 1);
        expect(value! * queryFactor! * documentFactor!).toBeCloseTo(contribution, 10);
        // Both sides' weights are rounded to float16.
        const wanted = bm25.matched.find((each) => each.term === term)!.contribution;
        expect(Math.abs(value! / wanted - 1)).toBeLessThan(0.003);
      }
      expect(terms.find(({ term }) => term === "boat")!.factor).toBe(1.7);
    }
    // Without factors nothing changes.
    const [first] = (await plain.explain(QUERY, hits[0].id)).matched;
    expect(Object.keys(first)).not.toContain("bm25");
    await Promise.all([index.close(), plain.close()]);
  });

  test("wrong factors are refused", async () => {
    const index = await Sluice.build<Document>([{ id: "1", text: "canal" }], { encoder: "none" });
    const add = (termFactors: object) =>
      index.add([{ id: "2", text: "canal", termFactors: termFactors as never }]);
    await expect(add({ canal: Number.NaN })).rejects.toThrow(/termFactors: the weight of "canal" is NaN/);
    await expect(add({ canal: 1e6 })).rejects.toThrow(/float16 ends at 65504/);
    await expect(add({ canal: -1 })).rejects.toThrow(/at least 0/);
    await expect(index.search({ termFactors: { canal: 2 } })).rejects.toThrow(
      /has termFactors, and nothing that documents are found by/,
    );
    await expect(index.search({ vector: [1], termFactors: { canal: 2 } })).rejects.toThrow(
      /no text or weights/,
    );
    const given = await Sluice.build<Document>([{ id: "1", weights: { canal: 1 } }], { lexical: "weights" });
    await expect(given.add([{ id: "2", weights: { canal: 1 }, termFactors: { canal: 2 } }])).rejects.toThrow(
      /takes the weights that documents bring/,
    );
    await expect(given.search({ text: "canal", termFactors: { canal: 2 } })).rejects.toThrow(
      /multiply BM25's/,
    );
    await Promise.all([index.close(), given.close()]);
  });
});
