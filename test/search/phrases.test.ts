// Phrases, words that hits must have or must not have, and operators in a query: through an index, on every surface.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { english } from "../../src/analyze/analyzers/english.ts";
import { termPositions } from "../../src/analyze/term-positions.ts";
import { SluiceReader } from "../../src/browser/reader.ts";
import { type Document, type Searchable, Sluice } from "../../src/index.ts";
import { type Clause, clauseText, type PreferredPhrase } from "../../src/query/ask/clause.ts";
import { readFiles } from "../../src/read/formats.ts";
import type { ErrorAnswer, SearchAnswer } from "../../src/schemas/index.ts";
import { findPhraseGapByDefinition } from "../../src/search/match/phrase-gap.ts";
import { createServer } from "../../src/server/index.ts";
import { idf } from "../../src/weigh/bm25.ts";
import { folderFetch } from "../browser/folder-fetch.ts";
import { commandLine } from "../helpers/command-line.ts";
import { dataPath, noData } from "../helpers/data.ts";
import { golden } from "../helpers/golden.ts";

const DOCUMENTS: Document[] = [
  { id: "york", title: "New York", text: "A hotel in New York, and a canal", kind: "city", year: 1624 },
  { id: "old", text: "York is old, and new hotels open there", kind: "city", year: 71 },
  { id: "state", text: "The state of the art of canals", kind: "idiom", year: 1910 },
  { id: "lock", text: "A lock of a canal raises boats", kind: "noun", year: 1910 },
];

const folder = mkdtempSync(join(tmpdir(), "sluice-phrases-"));
let built: Sluice;
beforeAll(async () => {
  built = await Sluice.build(DOCUMENTS, { encoder: "none", positions: true });
});
afterAll(() => built.close());

type AnyQuery = Parameters<Searchable["search"]>[0];
const idsOf = async (index: Searchable, query: AnyQuery, options: object = {}) =>
  (await index.search(query, options)).hits.map(({ id }) => id).sort();

describe("demands", () => {
  test.each([
    [{ must: [{ phrase: "new york" }] }, ["york"]],
    [{ must: ["new york"] }, ["old", "york"]], // both words, anywhere
    [{ text: "hotel", must: [{ phrase: "york new", slop: 2 }] }, ["york"]],
    [{ text: "hotel", mustNot: [{ phrase: "new york" }] }, ["old"]],
    [{ must: [{ phrase: "state of the art" }] }, ["state"]],
    [{ must: [{ phrase: "state art" }] }, []], // two words stand between them
    [{ must: [{ phrase: "state art", slop: 2 }] }, ["state"]],
    [{ text: "canal", must: ["the"] }, ["lock", "state", "york"]], // a stop word demands nothing
    [{ text: "canal", must: ["zeppelin"] }, []],
    [{ text: "canal", mustNot: ["zeppelin", "boats"] }, ["state", "york"]],
  ])("%j", async (query, expected) => {
    expect(await idsOf(built, query)).toEqual(expected);
  });

  test("a preferred phrase lifts its documents by its words' idf, and the explanation says so", async () => {
    const query = { text: "hotel", prefer: [{ phrase: "new york", weight: 2 }] };
    const plain = await built.search("hotel");
    const { hits } = await built.search(query, { plan: { kind: "exact" } });
    const added = 2 * (idf(4, 2) + idf(4, 2));
    const lifted = hits.find(({ id }) => id === "york")!;
    expect(lifted.boost).toBeCloseTo(added, 12);
    expect(lifted.score).toBeCloseTo(plain.hits.find(({ id }) => id === "york")!.score + added, 12);
    const explained = await built.explain(query, "york");
    expect(explained.score).toBe(lifted.score);
    expect(explained.phrases).toEqual([{ phrase: "new york", gap: 0, contribution: lifted.boost }]);
    const other = await built.explain(query, "old");
    expect(other.phrases).toEqual([{ phrase: "new york", contribution: 0 }]);
    const [asText, asPhrase] = await built.searchAll([
      { text: "hotel", prefer: ["new york"] },
      { text: "hotel", prefer: [{ phrase: "new york" }] },
    ]);
    expect(asText.hits).toEqual(asPhrase.hits);
    expect(asText.hits.find(({ id }) => id === "york")?.boost).toBeCloseTo(added / 2, 12);
  });

  test("counts, sort and filter see the documents that meet them", async () => {
    const query = { text: "canal", mustNot: ["boats"] };
    const options = { total: true, sort: { field: "year" }, filter: { year: { gt: 100 } } };
    const { hits, total } = await built.search(query, options);
    expect(hits.map(({ id }) => id)).toEqual(["york", "state"]);
    expect(total).toBe(2);
  });

  test("what is wrong is refused", async () => {
    const refused = (query: object) => expect(built.search(query as never)).rejects;
    await refused({ must: "canal" }).toThrow(/must.*list/);
    await refused({ must: [{ phrase: "a", slop: -1 }] }).toThrow(/slop/);
    await refused({ must: [{ phrase: "a", weight: 2 }] }).toThrow(/weight/);
    await refused({ text: "a", prefer: [3] }).toThrow(/prefer\[0\] must be a text or/);
    await refused({ must: "canal" }).toThrow(
      '`must` of the query is a list of texts and phrases, not "canal"',
    );
    await refused({ mustNot: ["canal"] }).toThrow(
      "the query has mustNot, and nothing that documents are found by",
    );
    await expect(Sluice.build([], { positions: true, lexical: "weights" })).rejects.toThrow(/positions/);
  });

  test("an index without positions refuses phrases, and answers what is typed with a notice", async () => {
    const plain = await Sluice.build(DOCUMENTS, { encoder: "none" });
    await expect(plain.search({ must: [{ phrase: "new york" }] })).rejects.toThrow(/positions: true|phrase/);
    await expect(plain.search({ text: "x", prefer: [{ phrase: "new york" }] })).rejects.toThrow(/phrase/);
    expect(await idsOf(plain, { must: ["new york"] })).toEqual(["old", "york"]);
    expect(await idsOf(plain, { must: [{ phrase: "canals" }] })).toEqual(["lock", "state", "york"]);
    const { hits, notices } = await plain.search('"new york"', { syntax: true });
    expect(hits).toHaveLength(2);
    expect(notices).toEqual([
      {
        code: "loose_phrase",
        message: expect.stringContaining('the words of "new york" count wherever they stand'),
      },
    ]);
    expect(plain.info().positionBytes).toBeUndefined();
    expect(built.info().positionBytes).toBeGreaterThan(20);
    await plain.close();
  });
});

test.each([
  ['"new york"', ["york"]],
  ['"york new"~2', ["york"]],
  ["canal -boats", ["state", "york"]],
  ["+hotel canal", ["old", "york"]],
  ['canal -"new york"', ["lock", "state"]],
  ["canal kind:noun", ["lock"]],
  ["canal -year:1910", ["york"]],
  ["canal year:>1909", ["lock", "state"]],
  ["canal -year:<1910", ["lock", "state"]],
  ["canal year:1600..1700", ["york"]],
  ["“new york”", ["york"]],
  ["-canal", []],
])("the operators of %s", async (query, expected) => {
  expect(await idsOf(built, query, { syntax: true })).toEqual(expected);
  if (!query.startsWith("-")) expect((await idsOf(built, query)).length).toBeGreaterThan(0);
});

test("every notice has a code of its own, and the command line prints each on a line", async () => {
  const documents = [{ id: "york", text: "new york" }];
  const index = await Sluice.build(documents, { encoder: "none" });
  const query = '"new york" AND york';
  const { notices } = await index.search(query, { syntax: true, sort: "yaer" as never });
  expect(notices?.map(({ code }) => code)).toEqual(["no_operator", "loose_phrase", "unknown_field"]);
  const explained = await index.explain(query, "york", { syntax: true });
  expect(explained.notices?.map(({ code }) => code)).toEqual(["no_operator", "loose_phrase"]);
  expect((await index.explainQuery(query, { syntax: true })).notices).toEqual(explained.notices);
  const [first, second] = await index.searchAll([query, "york"], { syntax: true });
  expect(first.notices).toEqual(explained.notices);
  expect(second).not.toHaveProperty("notices");

  const saved = join(folder, "told");
  await index.save(saved);
  const { out, err } = await commandLine([
    ...["search", saved, query, "--syntax", "--sort", "yaer", "--json"],
  ]);
  expect(err).toBe(notices!.map(({ message }) => `sluice: ${message}\n`).join(""));
  expect(JSON.parse(out).notices).toEqual(notices);
  await index.close();
});

test("a title before a colon is no filter, and the answer says so", async () => {
  const { hits, notices } = await built.search("title:york", { syntax: true });
  expect(hits.map(({ id }) => id).sort()).toEqual(["old", "york"]);
  expect(notices).toEqual([
    {
      code: "field_left_out",
      message: expect.stringMatching(/^title: was left out.*build the index with fieldWeights/),
    },
  ]);
  expect((await built.search("canal title:york year:>100", { syntax: true })).notices).toEqual(notices);
});

/** Documents of few different words, so that phrases occur. */
const text = fc.array(fc.constantFrom("canal", "lock", "the", "gate", "boat"), { maxLength: 8 });
const phraseText = fc.array(fc.constantFrom("canal", "lock", "the", "gate"), { minLength: 1, maxLength: 3 });
const clause = fc.oneof(
  fc.constantFrom("canal", "gate", "boat", "zeppelin"),
  fc.record({ phrase: phraseText.map((words) => words.join(" ")), slop: fc.nat(3) }),
);

/** The gap of a phrase in a text, from their words alone; "none" if the phrase has no term. */
function gapIn(text: string, phrase: string): number | undefined | "none" {
  const here = termPositions(english, text);
  const lists = new Map<string, number[]>();
  for (const { term, position } of here) lists.set(term, [...(lists.get(term) ?? []), position]);
  const terms = termPositions(english, phrase);
  const none: number[] = [];
  if (terms.length === 0) return "none";
  return findPhraseGapByDefinition(
    terms.map(({ term, position }) => ({ offset: position, positions: lists.get(term) ?? none })),
  );
}

function has(text: string, clause: Clause): boolean | "none" {
  if (typeof clause === "string" || "text" in clause)
    return english.terms(text).includes(english.terms(clauseText(clause))[0]);
  const gap = gapIn(text, clause.phrase);
  return gap === "none" ? gap : gap !== undefined && gap <= (clause.slop ?? 0);
}

test("hits and scores are those of the definition, whatever is demanded and preferred, in one segment or several", async () => {
  const corpus = fc.array(text, { minLength: 1, maxLength: 12 });
  const prefer = fc.record({
    phrase: phraseText.map((words) => words.join(" ")),
    slop: fc.nat(2),
    weight: fc.integer({ min: -2, max: 3 }),
  });
  const demands = {
    must: fc.array(clause, { maxLength: 2 }),
    mustNot: fc.array(clause, { maxLength: 1 }),
    prefer: fc.array(prefer, { maxLength: 2 }),
  };
  let found = 0;
  await fc.assert(
    fc.asyncProperty(corpus, fc.record(demands), fc.nat(3), async (texts, asked, gone) => {
      const documents = texts.map((words, i) => ({ id: String(i), text: words.join(" ") }));
      const index = await Sluice.build<Document>([], {
        encoder: "none",
        analyzer: "english",
        positions: true,
      });
      for (const document of documents) {
        await index.add([document]);
        if (document.id.length % 2 === 1) await index.commit();
      }
      await index.delete([String(gone)]);
      await index.commit();
      const options = { k: 20, plan: { kind: "exact" } } as const;
      const query = { text: "canal lock gate boat", ...asked };
      const live = documents.filter(({ id }) => id !== String(gone));
      const df = (term: string) => live.filter(({ text }) => english.terms(text).includes(term)).length;
      const docs = live.filter(({ text }) => english.terms(text).length > 0).length;
      const isKnown = (phrase: string) => english.terms(phrase).every((term) => df(term) > 0);
      const lift = (text: string, { phrase, slop = 0, weight = 1 }: PreferredPhrase) => {
        const gap = gapIn(text, phrase);
        if (gap === "none" || gap === undefined || gap > slop || !isKnown(phrase)) return 0;
        return (
          (weight * english.terms(phrase).reduce((sum, term) => sum + idf(docs, df(term)), 0)) / (1 + gap)
        );
      };
      const check = async () => {
        // A merge may weigh rows again, so the scores without demands are taken each time.
        const without = (await index.search(query.text, options)).hits;
        const plain = new Map(without.map(({ id, score }) => [id, score]));
        const expected = live
          .filter(({ id, text }) => plain.has(id) && asked.must.every((each) => has(text, each)))
          .filter(({ text }) => !asked.mustNot.some((each) => has(text, each) === true))
          .map(({ id, text }) => ({
            id,
            score: asked.prefer.reduce((sum, each) => sum + lift(text, each), plain.get(id)!),
          }));
        const { hits, stats } = await index.search(query, options);
        expect(stats.exact).toBe(true);
        expect(hits.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
        for (const { id, score } of hits)
          expect(score).toBeCloseTo(expected.find((each) => each.id === id)!.score, 9);
        found += hits.length;
      };
      await check();
      await index.optimize();
      await check();
      await index.close();
    }),
    { numRuns: 60 },
  );
  expect(found).toBeGreaterThan(50);
});

describe("Lucene finds the same documents", { skip: noData !== undefined }, () => {
  const { collections } = golden("lucene-phrases.json") as {
    collections: Record<string, [phrase: string, slop: number, ids: string[]][]>;
  };

  test.each(Object.entries(collections))("in %s", async (name, cases) => {
    const documents: Document[] = [];
    for await (const document of readFiles(dataPath("collections", name, "corpus.jsonl")))
      if (document.id !== undefined) documents.push(document);
    const index = await Sluice.build(documents, { encoder: "none", analyzer: "english", positions: true });
    expect(cases.length).toBeGreaterThan(100);
    for (const [phrase, slop, ids] of cases) {
      const found = await idsOf(index, { must: [{ phrase, slop }] }, { k: 100 });
      expect(found, `${phrase} ~${slop}`).toEqual(ids);
    }
    await index.close();
  });
});

test("a folder, an export, the command line and HTTP answer alike", async () => {
  const saved = join(folder, "saved");
  const documents = join(folder, "documents.jsonl");
  writeFileSync(documents, DOCUMENTS.map((document) => JSON.stringify(document)).join("\n"));
  await commandLine(["index", saved, documents, "--encoder", "none", "--positions"]);
  const index = await Sluice.open(saved, { positions: true });
  await index.add([{ id: "more", text: "New York again" }]);
  await index.commit();
  await index.exportWeb(join(folder, "web"));
  const reader = await SluiceReader.open("http://localhost/", { fetch: folderFetch(join(folder, "web")) });
  for (const each of [index, reader]) {
    expect(await idsOf(each, '"new york"', { syntax: true })).toEqual(["more", "york"]);
    expect(await idsOf(each, { must: [{ phrase: "state of the art" }] })).toEqual(["state"]);
  }
  await index.close();
  await expect(Sluice.open(saved, { positions: false })).rejects.toThrow(/positions false.*has true/);

  const { out } = await commandLine(["search", saved, '"new york" -again', "--syntax", "--json"]);
  expect(JSON.parse(out).hits.map(({ id }: { id: string }) => id)).toEqual(["york"]);
  expect((await commandLine(["info", saved])).out).toMatch(/positions +\d+/);

  const server = createServer({ built });
  const ask = async (path: string, body?: object) => {
    const headers = { "content-type": "application/json" };
    const init = body && { method: "POST", headers, body: JSON.stringify(body) };
    const response = await server.fetch(new Request(`http://localhost/v1/indexes/built/${path}`, init));
    return (await response.json()) as SearchAnswer & ErrorAnswer;
  };
  expect((await ask("search", { query: { must: [{ phrase: "new york" }] } })).hits).toHaveLength(1);
  expect((await ask(`search?query=${encodeURIComponent('"new york"')}&syntax=true`)).hits).toHaveLength(1);
  expect((await ask("search", { query: { must: [{ phrase: "a", slop: 1000 }] } })).error.message).toMatch(
    /^must\[0\]\.slop must be/,
  );
});
