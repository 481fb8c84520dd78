// Typos and prefixes, through an index: what a search finds, says and explains, after deletes, merges, a reopen and an export.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SluiceReader } from "../../src/browser/reader.ts";
import { type Document, type Searchable, Sluice } from "../../src/index.ts";
import type { ErrorAnswer, SearchAnswer, SuggestAnswer } from "../../src/schemas/index.ts";
import { createServer } from "../../src/server/index.ts";
import { folderFetch } from "../browser/folder-fetch.ts";
import { commandLine } from "../helpers/command-line.ts";

const DOCUMENTS: Document[] = [
  { id: "canal", text: "A canal with a lock raises boats" },
  { id: "canals", title: "Canals", text: "Canals of Venice and their gondolas" },
  { id: "candle", text: "A candle gives light" },
  { id: "university", text: "The university of Bologna is the oldest of all universities" },
  { id: "universe", text: "The universe is expanding" },
  { id: "thai", text: "ประตูน้ำ 水門 水路" },
  { id: "rivers", text: "Rivers and streams flow to the sea" },
];

const folder = mkdtempSync(join(tmpdir(), "sluice-typos-"));
let built: Sluice;
beforeAll(async () => {
  built = await Sluice.build(DOCUMENTS, { encoder: "none" });
});
afterAll(() => built.close());

const idsOf = async (index: Searchable, query: string, options: object) =>
  (await index.search(query, options)).hits.map(({ id }) => id);

describe("a search", () => {
  test("takes words as they are, unless it is told otherwise", async () => {
    expect(await idsOf(built, "cnal", {})).toEqual([]);
    expect(await idsOf(built, "cana", {})).toEqual([]);
    expect(await idsOf(built, "canal", { typos: true, prefix: true })).toEqual(
      await idsOf(built, "canal", {}),
    );
  });

  test.each([
    ["cnal", ["canals", "canal"]], // a letter is missing
    ["cannal", ["canals", "canal"]],
    ["caanl", ["canals", "canal"]], // two letters are swapped
    ["CNAL", ["canals", "canal"]],
    ["gondloa", ["canals"]],
    ["univeristies", ["university", "universe"]], // the edit changes the stem
    ["universitise", ["university", "universe"]],
    ["strams", ["rivers"]],
    ["expnading", ["universe"]],
    ["gonodlsa", ["canals"]], // two edits need eight letters
    ["lcok", ["canal"]],
    ["lok", []], // three letters are not corrected
    ["ประตน้ำ", ["thai"]],
  ])("corrects %s", async (query, expected) => {
    expect((await idsOf(built, query, { typos: true })).sort()).toEqual([...expected].sort());
  });

  test.each([
    ["can", ["canal", "canals", "candle"]],
    ["cana", ["canal", "canals"]],
    ["boats in a cana", ["canal", "canals"]],
    ["universit", ["university", "universe"]], // longer than the stem
    ["expandin", ["universe"]],
    ["c", []], // every word begins with some letter
    ["cana ", []], // a space ends the word
    ["水", ["thai"]],
  ])("completes %s", async (query, expected) => {
    expect((await idsOf(built, query, { prefix: true })).sort()).toEqual([...expected].sort());
  });

  test("corrects a word whose stem the typo changed", async () => {
    const index = await Sluice.build(
      [
        { id: "a", text: "A restaurant" },
        { id: "b", text: "A canal" },
      ],
      {
        ...{ encoder: "none", analyzer: "english" },
      },
    );
    const { hits, terms } = await index.search("restaraunt", { typos: true });
    expect(hits.map(({ id }) => id)).toEqual(["a"]);
    expect(terms.find(({ from }) => from)).toMatchObject({ term: "restaur", from: "restaraunt", edits: 2 });
    expect((await index.search("restaraunt", { typos: { maxEdits: 1 } })).hits).toEqual([]);
    await index.close();
  });

  test("completes a misspelled beginning, if both are asked for", async () => {
    expect(await idsOf(built, "gonodl", { prefix: true })).toEqual([]);
    expect(await idsOf(built, "gonodl", { typos: true })).toEqual([]);
    expect(await idsOf(built, "gonodl", { prefix: true, typos: true })).toEqual(["canals"]);
  });

  test("allows as many edits as the options say", async () => {
    expect(await idsOf(built, "gonodlsa", { typos: { maxEdits: 1 } })).toEqual([]);
    expect(await idsOf(built, "lcok", { typos: { oneEditFrom: 5 } })).toEqual([]);
    expect(await idsOf(built, "lokc", { typos: { oneEditFrom: 3 } })).toEqual(["canal"]);
    expect(await idsOf(built, "lcok", { typos: { oneEditFrom: 9, twoEditsFrom: 3 } })).toEqual(["canal"]);
    await expect(built.search("x", { typos: { maxEdits: 3 as 2 } })).rejects.toThrow(/maxEdits.*from 1 to 2/);
    await expect(built.search("x", { typos: "yes" as never })).rejects.toThrow(
      /typos must be true, false or/,
    );
    await expect(built.search("x", { fuzzy: true } as never)).rejects.toMatchObject({
      hint: 'did you mean "typos"?',
    });
  });

  test("says which word a term came from, and weighs it below an exact match", async () => {
    const { terms, hits } = await built.search("cnal", { typos: true });
    const [unknown, canal] = [terms.find(({ term }) => term === "cnal"), terms.find(({ from }) => from)];
    expect(unknown).toEqual({ term: "cnal", weight: 0, fate: "unknown", alternatives: ["canal"] });
    expect(canal).toMatchObject({ term: "canal", fate: "kept", from: "cnal", edits: 1 });
    const exact = await built.search("canal");
    expect(hits[0].score).toBeLessThan(exact.hits[0].score);
    expect(hits[0].score).toBeGreaterThan(exact.hits[0].score / 2);
    const completed = await built.search("cana", { prefix: true });
    expect(completed.terms).toContainEqual(
      expect.objectContaining({ term: "canal", from: "cana", edits: 0 }),
    );
  });

  test("is exact for the words that it searches for", async () => {
    const options = { typos: true, prefix: true, plan: { kind: "exact" }, k: 20 } as const;
    const { hits, stats, terms } = await built.search("cnal univ", options);
    expect(stats.exact).toBe(true);
    const weights = new Map(
      terms.filter(({ fate }) => fate === "kept").map(({ term, weight }) => [term, weight]),
    );
    const scores = await Promise.all(
      DOCUMENTS.map(({ id }) => built.explain("cnal univ", id, { typos: true, prefix: true })),
    );
    for (const { score, matched } of scores)
      expect(score).toBeCloseTo(
        matched.reduce((sum, { contribution }) => sum + contribution, 0),
        6,
      );
    const ranked = scores.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
    expect(hits.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score));
    expect(weights.size).toBeGreaterThan(1);
  });

  test("explains and highlights the words that were meant", async () => {
    const explanation = await built.explain("cnal", "canals", { typos: true });
    expect(explanation.matched).toEqual([expect.objectContaining({ term: "canal", from: "cnal" })]);
    const { terms } = await built.search("cnal", { typos: true });
    expect(await built.highlight(terms, { ...DOCUMENTS[1] })).toEqual({ title: [[0, 6]], text: [[0, 6]] });
    const { terms: explained } = await built.explainQuery("cnal", { typos: true });
    expect(explained[0]).toMatchObject({ term: "canal", from: "cnal", edits: 1, selected: true });
  });

  test("is bounded for long queries and long words", async () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `cnal${i}x`).join(" ");
    const { hits } = await built.search(`${words} canal`, { typos: true, prefix: true });
    expect(
      hits
        .map(({ id }) => id)
        .slice(0, 2)
        .sort(),
    ).toEqual(["canal", "canals"]);
    for (const word of ["", " ", "x", "𝒳", "x".repeat(100_000), "𝒳".repeat(65), "\ud800"])
      expect((await built.search(word, { typos: true, prefix: true })).hits).toEqual([]);
  });

  test("corrects 16 words, the last one included", async () => {
    const words = Array.from({ length: 20 }, (_, i) => `cana${"bdefghijkmopqrtuvwxyz"[i]}`);
    const { terms } = await built.search(words.join(" "), { typos: true });
    expect(terms.filter(({ alternatives }) => alternatives)).toHaveLength(16);
  });

  test("refuses an index whose terms are not words", async () => {
    const index = await Sluice.build([{ id: "a", weights: { canal: 1 } }], { lexical: "weights" });
    expect([index.info().hasWords, built.info().hasWords]).toEqual([false, true]);
    await expect(index.search("cnal", { typos: true })).rejects.toThrow(/no words to correct/);
    await expect(index.suggest("cnal")).rejects.toThrow(/no words to correct/);
    for (const options of [{ typos: true }, { prefix: true }, { synonyms: [["canal", "waterway"]] }])
      for (const query of ["canal", { weights: { canal: 1 } }])
        await expect(index.search(query, options)).rejects.toThrow(/no words to correct/);
    expect((await index.search({ weights: { canal: 1 } }, { typos: false })).hits).toHaveLength(1);
    await index.close();
  });
});

describe("suggestions", () => {
  const textsOf = async (text: string, options = {}) =>
    (await built.suggest(text, options)).map((suggestion) => suggestion.text);

  test("complete the last word, in words and not in stems", async () => {
    expect(await built.suggest("cana")).toEqual([
      { text: "canals", kind: "completion", from: "cana", to: "canals", docs: 2 },
    ]);
    expect(await textsOf("old univ")).toEqual(["old universe"]);
    expect(await textsOf("universit")).toEqual(["university"]);
    expect(await textsOf("c", { k: 2 })).toHaveLength(2);
    expect(await textsOf("canal ")).toEqual([]);
  });

  test("correct misspelled words, wherever they are", async () => {
    expect(await built.suggest("cnal boats")).toEqual([
      { text: "canal boats", kind: "correction", from: "cnal", to: "canal", docs: 2 },
    ]);
    expect(await textsOf("Venice gondloas")).toEqual(["Venice gondolas"]);
    expect(await textsOf("cnal in Venice, with gondloas!")).toEqual(["canal in Venice, with gondolas!"]);
    expect(await textsOf("cnal in Venice")).toEqual(["canal in Venice"]);
    expect(await textsOf("gondloas in old univ")).toEqual(["gondolas in old universe"]);
    expect(await built.suggest("gondloas and cnal")).toEqual([
      {
        text: "gondolas and canal",
        kind: "correction",
        from: "gondloas cnal",
        to: "gondolas canal",
        docs: 1,
      },
    ]);
    // The last word may be finished, or not.
    expect(await textsOf("gondloas canal")).toEqual(["gondolas canal", "gondolas canals"]);
    expect(await textsOf("cnal", { typos: false })).toEqual([]);
    expect(await textsOf("xyzzy")).toEqual([]);
    expect(await textsOf("")).toEqual([]);
  });
});

test("suggestions are as near as words, not as stems", async () => {
  const index = await Sluice.build(
    [
      { id: "a", text: "the pursuit of happiness" },
      { id: "b", text: "a generalization" },
      { id: "c", text: "a canoe" },
    ],
    { encoder: "none" },
  );
  for (const typed of ["happx", "generl", "canx"])
    expect([typed, await index.suggest(typed)]).toEqual([typed, []]);
  expect((await index.suggest("hapiness")).map(({ text }) => text)).toEqual(["happiness"]);
  expect((await index.suggest("caneo")).map(({ text }) => text)).toEqual(["canoe"]);
  await index.close();
});

test("deleted words are neither completed nor corrected to, in one segment or several", async () => {
  const index = await Sluice.open(join(folder, "live"), { encoder: "none" });
  for (const document of DOCUMENTS) {
    await index.add([document]);
    await index.commit();
  }
  expect(await idsOf(index, "cnadle", { typos: true })).toEqual(["candle"]);
  await index.delete(["candle"]);
  await index.add([{ id: "sluice", text: "A sluice gate" }]);
  await index.commit();
  const expectAll = async (open: Searchable) => {
    expect(await idsOf(open, "cnadle", { typos: true })).toEqual([]);
    expect(await idsOf(open, "sluiec", { typos: true })).toEqual(["sluice"]);
    expect((await idsOf(open, "can", { prefix: true })).sort()).toEqual(["canal", "canals"]);
    expect((await open.suggest("slui")).map(({ text }) => text)).toEqual(["sluice"]);
    expect((await open.suggest("slocie")).map(({ text }) => text)).toEqual([]);
  };
  await expectAll(index);
  await index.optimize();
  await expectAll(index);
  await index.exportWeb(join(folder, "web"));
  await index.close();
  const again = await Sluice.open(join(folder, "live"), { readOnly: true });
  await expectAll(again);
  await again.close();
  await expectAll(await SluiceReader.open("http://localhost/", { fetch: folderFetch(join(folder, "web")) }));
});

test("synonyms find, say what they stand for, and add up to the score", async () => {
  const synonyms = [["waterway", "canal"], { from: ["ship"], to: ["boat"] }];
  expect(await idsOf(built, "waterway", {})).toEqual([]);
  expect((await idsOf(built, "waterway", { synonyms })).sort()).toEqual(["canal", "canals"]);
  expect(await idsOf(built, "boat", { synonyms })).toEqual(["canal"]);
  const options = { synonyms, plan: { kind: "exact" } } as const;
  const { hits, terms } = await built.search("ship waterway", options);
  expect(terms).toContainEqual(expect.objectContaining({ term: "canal", from: "waterway", fate: "kept" }));
  expect(terms.find(({ term }) => term === "canal")).not.toHaveProperty("edits");
  const explanation = await built.explain("ship waterway", hits[0].id, { synonyms });
  expect(explanation.score).toBeCloseTo(hits[0].score, 12);
  expect(explanation.matched.map(({ term, from }) => `${term} ← ${from}`).sort()).toEqual([
    ...["boat ← ship", "canal ← waterway"],
  ]);
  expect(await idsOf(built, "canal boat", { synonyms, match: "all" })).toEqual(["canal"]);
  await expect(built.search("x", { synonyms: "car" as never })).rejects.toThrow(/synonyms/);
});

test("the words of a synonym together count less than what was typed", async () => {
  const texts = ["the new york office", "york has a new thing", "ny office", "a wi-fi router", "wifi here"];
  const index = await Sluice.build(
    texts.map((text) => ({ id: text, text })),
    { encoder: "none" },
  );
  const synonyms = [
    ["ny", "new york"],
    ["wifi", "wi-fi"],
  ];
  expect((await idsOf(index, "ny", { synonyms }))[0]).toBe("ny office");
  expect((await idsOf(index, "wifi", { synonyms }))[0]).toBe("wifi here");
  await index.close();
});

test.each([
  ["-york", true],
  ["kind:city", true],
  ['""', true],
  [{ text: " ", mustNot: ["york"] }, undefined],
] as const)("a query with nothing to rank by says so: %o", async (query, syntax) => {
  const documents = [{ id: "york", text: "york", kind: "city" }];
  const index = await Sluice.build(documents, { encoder: "none" });
  const noWord = "the query has no word to rank by, so there are no hits";
  expect(await index.search(query, { syntax })).toMatchObject({
    hits: [],
    notices: [{ code: "no_word", message: noWord }],
  });
  for (const other of ["", "york -zürich", "york kind:city"])
    expect((await index.search(other, { syntax: true })).notices).toBeUndefined();
  await index.close();
});

test("the command line and HTTP correct, complete and suggest", async () => {
  await built.save(join(folder, "saved"));
  const saved = join(folder, "saved");
  const ids = (out: string) => JSON.parse(out).hits.map(({ id }: { id: string }) => id);
  expect(ids((await commandLine(["search", saved, "strams", "--typos", "--json"])).out)).toEqual(["rivers"]);
  expect(ids((await commandLine(["search", saved, "strea", "--prefix", "--json"])).out)).toEqual(["rivers"]);
  expect((await commandLine(["explain", saved, "strams", "rivers", "--typos"])).out).toContain(
    "stream ← strams",
  );
  const list = join(folder, "synonyms.txt");
  writeFileSync(list, "# water\nbrook, stream\nocean => sea\n");
  expect((await commandLine(["explain", saved, "brook", "rivers", "--synonyms", list])).out).toContain(
    "stream ← brook",
  );
  for (const line of ["ocean =>", "=> sea", "york", "a => b => c", ","]) {
    writeFileSync(list, `  # water\nbrook, stream\n${line}\n`);
    const refused = await commandLine(["search", saved, "brook", "--synonyms", list]);
    expect([refused.status, refused.err]).toEqual([2, expect.stringContaining(`${list}:3: `)]);
  }
  expect((await commandLine(["suggest", saved, "strams"])).out).toContain(
    "streams  streams ← strams, in 1 document",
  );
  const noWord = "the query has no word to rank by, so there are no hits";
  const excluding = await commandLine(["search", saved, "--syntax", "--", "-york"]);
  expect(excluding.err).toBe(`sluice: ${noWord}\n`);
  expect(excluding.out).not.toContain("so there are no hits");
  expect((await commandLine(["suggest", saved, "xyzzy"])).out).toContain("nothing to suggest");

  const server = createServer({ built });
  const ask = async (path: string, body?: object) => {
    const headers = { "content-type": "application/json" };
    const init = body && { method: "POST", headers, body: JSON.stringify(body) };
    const response = await server.fetch(new Request(`http://localhost/v1/indexes/built/${path}`, init));
    return (await response.json()) as SearchAnswer & SuggestAnswer & ErrorAnswer;
  };
  expect((await ask("search", { query: "strams", typos: true })).hits).toHaveLength(1);
  expect((await ask("search?query=strea&prefix=true")).hits).toHaveLength(1);
  expect(await ask("search?query=-york&syntax=true")).toMatchObject({
    hits: [],
    notices: [{ code: "no_word", message: noWord }],
  });
  expect((await ask('search?query=strams&typos={"maxEdits":1}')).terms).toContainEqual(
    expect.objectContaining({ term: "stream", from: "strams", edits: 1 }),
  );
  expect((await ask("search", { query: "brook", synonyms: [["brook", "streams"]] })).hits).toHaveLength(1);
  const suggestions = [{ text: "streams", kind: "correction", from: "strams", to: "streams", docs: 1 }];
  expect(await ask("suggest", { text: "strams" })).toMatchObject({ suggestions });
  expect(await ask("suggest?text=strams&k=3")).toMatchObject({ suggestions });
  expect((await ask("suggest?text=strams&k=-1")).error.message).toMatch(/k/);
  expect(await ask("suggest?text=strams&k=0")).toMatchObject({ suggestions: [] });
});
