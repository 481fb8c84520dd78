// Words and phrases of one text field: typed and structured, on random documents in several segments, they find and score what
// a plain look at each document finds. Then every surface.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SluiceReader } from "../../src/browser/reader.ts";
import type { Answer, Explanation, Query, SearchOptions } from "../../src/index.ts";
import { type Clause, clauseText } from "../../src/query/ask/clause.ts";
import { findPhraseGapByDefinition } from "../../src/search/match/phrase-gap.ts";
import { createServer } from "../../src/server/index.ts";
import { Sluice } from "../../src/sluice.ts";
import { idf } from "../../src/weigh/bm25.ts";
import { folderFetch } from "../browser/folder-fetch.ts";
import { commandLine } from "../helpers/command-line.ts";
import {
  defined,
  EXACT,
  expectSame,
  FIELDS,
  fill,
  type Made,
  madeDocuments,
  OPTIONS,
  termsOf,
  WEIGHTS,
  WORDS,
} from "../helpers/text-fields.ts";

/** The texts of a document, by field. */
function textsOf({ title, text, about }: Made): string[][] {
  return [[title ?? ""], [text ?? ""], [about?.tags ?? []].flat()];
}

/** Whether a document has a clause, by its words alone. */
function has(document: Made, clause: Clause): boolean {
  const field = typeof clause === "string" ? undefined : clause.field;
  const texts = textsOf(document).filter((_, i) => field === undefined || FIELDS[i] === field);
  const words = clauseText(clause).split(" ");
  if (typeof clause === "string" || "text" in clause) {
    const found = texts.flat().flatMap((text) => text.split(" "));
    const isBeginning = typeof clause !== "string" && clause.prefix;
    return words.every((word) =>
      found.some((other) => (isBeginning ? other.startsWith(word) : other === word)),
    );
  }
  return texts.flat().some((text) => {
    const lists = new Map<string, number[]>(words.map((word) => [word, []]));
    for (const [position, word] of text.split(" ").entries()) lists.get(word)?.push(position);
    const gap = findPhraseGapByDefinition(
      words.map((word, offset) => ({ offset, positions: lists.get(word)! })),
    );
    return gap !== undefined && gap <= (clause.slop ?? 0);
  });
}

interface Case {
  readonly query: Query;
  readonly syntax?: true;
  readonly must?: readonly Clause[];
  readonly mustNot?: readonly Clause[];
  /** The words that are ranked by: "term field", or "term" alone. */
  readonly ranks: readonly string[];
}

const inTitle = (text: string) => ({ text, field: "title" });
const CASES: Case[] = [
  { query: "title:lock", syntax: true, must: [inTitle("lock")], ranks: ["lock title"] },
  { query: { must: [inTitle("lock")] }, must: [inTitle("lock")], ranks: ["lock title"] },
  { query: "+title:gate lock", syntax: true, must: [inTitle("gate")], ranks: ["gate title", "lock"] },
  {
    query: { text: "lock weir", must: [{ text: "gate canal", field: "text" }] },
    must: [{ text: "gate canal", field: "text" }],
    ranks: ["lock", "weir"],
  },
  { query: "lock -title:lock", syntax: true, mustNot: [inTitle("lock")], ranks: ["lock"] },
  { query: { text: "lock", mustNot: [inTitle("lock")] }, mustNot: [inTitle("lock")], ranks: ["lock"] },
  {
    query: "lock title:lock text:lock gate lock",
    syntax: true,
    must: [inTitle("lock"), { text: "lock", field: "text" }],
    ranks: ["lock", "lock title", "lock text", "gate"],
  },
  {
    query: 'about.tags:"lock gate"',
    syntax: true,
    must: [{ phrase: "lock gate", field: "about.tags" }],
    ranks: ["lock about.tags", "gate about.tags"],
  },
  {
    query: 'text:"gate lock"~2 -title:"lock gate" boat',
    syntax: true,
    must: [{ phrase: "gate lock", field: "text", slop: 2 }],
    mustNot: [{ phrase: "lock gate", field: "title" }],
    ranks: ["gate text", "lock text", "boat"],
  },
  {
    query: { must: [{ phrase: "lock lock", field: "text", slop: 1 }], mustNot: ["weir"] },
    must: [{ phrase: "lock lock", field: "text", slop: 1 }],
    mustNot: ["weir"],
    ranks: ["lock text"],
  },
  {
    query: "title:lo* canal",
    syntax: true,
    must: [{ ...inTitle("lo"), prefix: true }],
    ranks: ["lock title", "locks title", "canal"],
  },
  {
    query: { must: [{ text: "ga", prefix: true }], mustNot: [{ text: "lo", field: "text", prefix: true }] },
    must: [{ text: "ga", prefix: true }],
    mustNot: [{ text: "lo", field: "text", prefix: true }],
    ranks: ["gate", "gates"],
  },
  { query: "title:nowhere lock", syntax: true, must: [inTitle("nowhere")], ranks: ["lock"] },
];

const ASKED: (Record<string, number> | undefined)[] = [
  undefined,
  { title: 5 },
  { title: 0, text: 2 },
  { text: 0, "about.tags": 0 },
];
const weightsOf = (asked: Readonly<Record<string, number>> | undefined) =>
  FIELDS.map((name) => ({ ...WEIGHTS, ...asked })[name]!);
/** Words of all fields are scored by rows, which have the average lengths of their commits unless the search has other weights. */
const isByRows = ({ ranks }: Case) => ranks.every((each) => !each.includes(" "));

describe.each([
  ["few documents", [40, 3, 20]],
  ["many documents in several segments", [700, 300, 280]],
] as [string, number[]][])("%s", (_, sizes) => {
  const count = sizes.reduce((sum, size) => sum + size, 0);
  const options = { ...OPTIONS, positions: true };
  let [words, both]: Sluice[] = [];
  let [left, leftBoth]: Made[][] = [];
  beforeAll(async () => {
    words = await Sluice.build([] as never[], options);
    both = await Sluice.build([] as never[], options);
    left = await fill(words, madeDocuments(count, false, 51), sizes, 52);
    leftBoth = await fill(both, madeDocuments(count, true, 53), sizes, 54);
  });
  afterAll(async () => {
    await words.close();
    await both.close();
  });

  const meets = (document: Made, { must = [], mustNot = [] }: Case) =>
    must.every((clause) => has(document, clause)) && !mustNot.some((clause) => has(document, clause));

  /** Searches by words, and compares the answer with the definition. */
  const expectDefined = async (
    each: Case,
    asked: Readonly<Record<string, number>> | undefined,
    offset: number,
    least: number,
  ) => {
    const answer = await words.search(each.query, {
      ...{ ...EXACT, k: 25, offset, filter: { votes: { gte: least } } },
      ...(each.syntax && { syntax: true }),
      ...(asked && { fieldWeights: asked }),
    });
    const ranked = answer.terms.filter(({ fate }) => fate === "kept");
    const shown = ranked.map(({ term, field }) => (field ? `${term} ${field}` : term));
    expect(shown.sort()).toEqual([...each.ranks].sort());
    const scored = defined(left, answer.terms, { weights: weightsOf(asked), lambda: 0 });
    const kept = left.filter((document) => meets(document, each) && document.votes >= least);
    const ids = new Set(kept.map(({ id }) => id));
    const expected = scored.filter(({ id }) => ids.has(id));
    expectSame(answer, expected, offset, 25);
    return expected.length;
  };

  test.each(CASES)("$query: by words, with pages, filters and other weights", async (each) => {
    for (const asked of isByRows(each) ? ASKED.slice(1) : ASKED) {
      await expectDefined(each, asked, 0, 0);
      await expectDefined(each, asked, 4, 2);
    }
  });

  test.each(CASES)("$query: by words and meaning", async (each) => {
    const vector = [0.5, -0.25, 0.125];
    const parts = typeof each.query === "string" ? { text: each.query } : each.query;
    // With a vector, structured demands alone are no words to rank by.
    const asked = { title: 2.5 };
    const options = { ...EXACT, k: 30, offset: 2, lambda: 2, syntax: each.syntax, fieldWeights: asked };
    const answer = await both.search({ ...parts, vector }, options);
    const scored = defined(leftBoth, answer.terms, { weights: weightsOf(asked), lambda: 2, vector });
    const ids = new Set(leftBoth.filter((document) => meets(document, each)).map(({ id }) => id));
    const expected = scored.filter(({ id }) => ids.has(id));
    expectSame(answer, expected, 2, 30);
  });

  test.each(CASES)("$query: an explanation adds up, and names the field", async (each) => {
    const asked = { syntax: each.syntax, fieldWeights: { title: 4 } };
    const { hits } = await words.search(each.query, { ...EXACT, ...asked, k: 5 });
    expect(hits.length > 0).toBe(left.some((document) => meets(document, each)));
    for (const hit of hits) {
      const { score, matched, missed } = await words.explain(each.query, hit.id, asked);
      expect(score).toBeCloseTo(hit.score, 9);
      expect(matched.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(hit.lexical, 9);
      const document = left.find(({ id }) => id === hit.id)!;
      for (const { term, field, fields = [] } of matched) {
        const expected = FIELDS.filter(
          (name, i) => (field === undefined || field === name) && termsOf(document)[i].includes(term),
        );
        expect(fields.map((one) => one.field)).toEqual(expected);
      }
      for (const { term, field } of missed)
        expect(has(document, field === undefined ? term : { text: term, field })).toBe(false);
    }
  });

  test("totals and facets count the documents that hits are taken from", async () => {
    for (const match of [undefined, "any", "all"] as const) {
      const { total, hits } = await words.search("title:lock gate", {
        ...{ k: 2000, syntax: true, total: true },
        ...(match && { match }),
      });
      const matching = left.filter(
        (document) => has(document, inTitle("lock")) && (match !== "all" || has(document, "gate")),
      );
      expect(total).toBe(matching.length);
      expect(hits.map(({ id }) => id).sort()).toEqual(matching.map(({ id }) => id).sort());
    }
  });

  test("typos and unfinished words are those of the field", async () => {
    for (const [query, options, meant] of [
      ["title:canla", { typos: true }, ["canal"]],
      ["lock title:gat", { prefix: true }, ["gate", "gates"]],
      ["title:gatse weir", { typos: true, prefix: true }, ["gates", "gate"]],
    ] as [string, SearchOptions, string[]][]) {
      const answer = await words.search(query, { ...EXACT, ...options, k: 30, syntax: true });
      const found = answer.terms.filter(({ fate, field }) => fate === "kept" && field === "title");
      expect(found.map(({ term }) => term).some((term) => meant.includes(term))).toBe(true);
      const scored = defined(left, answer.terms, { weights: Object.values(WEIGHTS), lambda: 0 });
      const ids = new Set(
        left.filter((document) => found.some(({ term }) => has(document, inTitle(term)))).map(({ id }) => id),
      );
      expectSame(
        answer,
        scored.filter(({ id }) => ids.has(id)),
        0,
        30,
      );
      expect(answer.hits.length).toBeGreaterThan(0);
    }
  });

  test("all of it after a merge", async () => {
    await words.optimize();
    let found = 0;
    for (const each of CASES) found += await expectDefined(each, undefined, 0, 0);
    expect(found).toBeGreaterThan(20);
  });

  test("a preferred phrase of a field lifts the documents whose field has it", async () => {
    const prefer = [{ phrase: "lock gate", field: "text", slop: 1, weight: 2 }];
    const plain = await words.search("lock", { ...EXACT, k: 2000 });
    const { hits, stats } = await words.search({ text: "lock", prefer }, { ...EXACT, k: 2000 });
    expect(stats.exact).toBe(true);
    const before = new Map(plain.hits.map(({ id, score }) => [id, score]));
    for (const { id, score } of hits) {
      const document = left.find((each) => each.id === id)!;
      expect(score > before.get(id)!).toBe(has(document, prefer[0]));
    }
    const lifted = hits.find(({ id }) => has(left.find((each) => each.id === id)!, prefer[0]))!;
    const { phrases } = await words.explain({ text: "lock", prefer }, lifted.id);
    expect(phrases).toEqual([
      { phrase: "lock gate", field: "text", gap: expect.any(Number), contribution: lifted.boost },
    ]);
  });
});

test("the weight of a word is its idf over all fields, for each time that it was typed", async () => {
  const documents = madeDocuments(200, false, 61);
  const index = await Sluice.build(documents, OPTIONS);
  const counted = documents.filter((document) => termsOf(document).flat().length > 0);
  const found = counted.filter((document) => termsOf(document).flat().includes("gate")).length;
  const weight = idf(counted.length, found);
  const { terms } = await index.search("gate title:gate +title:gate", { syntax: true });
  expect(terms.map(({ term, field, weight }) => [term, field, weight])).toEqual([
    ["gate", undefined, weight],
    ["gate", "title", 2 * weight],
  ]);
  await index.close();
});

describe("other indexes", () => {
  const documents = [
    { id: "a", title: "Canal lock", text: "A gate" },
    { id: "b", title: "Gate", text: "Of a canal lock" },
  ];
  const idsOf = ({ hits }: Answer) => hits.map(({ id }) => id).sort();

  test("without text fields, typed fields are left out with a notice, and structured ones are refused", async () => {
    const index = await Sluice.build(documents, { encoder: "none" });
    const answer = await index.search("title:canal", { syntax: true });
    expect(idsOf(answer)).toEqual(["a", "b"]);
    expect(answer.notices).toEqual([
      {
        code: "field_left_out",
        message:
          "title: was left out, because this index reads title and text as one text, so the words after it count wherever " +
          "they stand; build the index with fieldWeights: { title: 3, text: 1 } to search the title alone",
      },
    ]);
    await expect(index.search({ must: [{ text: "canal", field: "title" }] })).rejects.toThrow(
      'must[0].field is "title", and this index reads title and text as one text',
    );
    await index.close();
  });

  test("without positions, hits have the words of a typed phrase in the field", async () => {
    const index = await Sluice.build(documents, { encoder: "none", fieldWeights: { title: 2, text: 1 } });
    const answer = await index.search('title:"lock canal"', { syntax: true });
    expect(idsOf(answer)).toEqual(["a"]);
    expect(answer.notices).toEqual([
      { code: "loose_phrase", message: expect.stringContaining("does not keep positions") },
    ]);
    await expect(index.search({ must: [{ phrase: "canal lock", field: "title" }] })).rejects.toThrow(
      "phrase",
    );
    await expect(index.search({ must: [{ text: "canal", field: "titel" }] })).rejects.toThrow(
      'must[0].field: the index has no text field "titel"',
    );
    await index.close();
  });

  test("with few slots, hits have the word in the field, and it counts wherever it stands", async () => {
    const index = await Sluice.build(documents, {
      ...{ encoder: "none", dims: 64, fieldWeights: { title: 2, text: 1 } },
    });
    const answer = await index.search("title:canal", { syntax: true });
    expect(idsOf(answer)).toEqual(["a"]);
    expect(answer.notices).toEqual([
      { code: "words_anywhere", message: expect.stringContaining('build it with dims: "full"') },
    ]);
    expect(answer.terms.every(({ field }) => field === undefined)).toBe(true);
    await index.close();
  });

  test("a phrase of a field is found where a dictionary and pairs of characters give the same term", async () => {
    const index = await Sluice.build(
      [
        { id: "a", title: "東京大学", text: "京都大学の東京" },
        { id: "b", title: "京都大学", text: "東京大学東京大学" },
      ],
      {
        ...{ encoder: "none", positions: true, analyzer: "chinese", fieldWeights: { title: 2, text: 1 } },
      },
    );
    for (const [field, phrase, expected] of [
      ["title", "東京大学", ["a"]],
      ["text", "東京大学", ["b"]],
      ["text", "京都大学", ["a"]],
    ] as const)
      expect(idsOf(await index.search({ must: [{ phrase, field }] }))).toEqual(expected);
    await index.close();
  });

  test("what is wrong is refused", async () => {
    const index = await Sluice.build(documents, { encoder: "none", fieldWeights: { title: 2 } });
    const refused = (clause: unknown) => expect(index.search({ must: [clause] } as never)).rejects;
    await refused({ text: 7 }).toThrow("must[0].text is 7, expected a text");
    await refused({ text: "a", field: 7 }).toThrow("must[0].field must be the name of a text field, not 7");
    await refused({ text: "a", prefix: "yes" }).toThrow("must[0].prefix");
    await refused({ text: "a", slop: 1 }).toThrow("slop");
    await refused({}).toThrow("must[0].phrase is undefined");
    await index.close();
  });
});

describe("surfaces", () => {
  let folder = "";
  let index: Sluice;
  const QUERY = "title:lock text:ga* -title:gate";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sluice-field-words-"));
    const lines = madeDocuments(300, false, 71).map((document) => JSON.stringify({ text: "", ...document }));
    await writeFile(join(folder, "documents.jsonl"), lines.join("\n"));
    const { status, err } = await commandLine([
      ...["index", join(folder, "index"), join(folder, "documents.jsonl"), "--analyzer", "whitespace"],
      ...["--encoder", "none", "--positions", "--field-weights", "title=3,text=1,about.tags=0.7"],
    ]);
    expect([status, err]).toEqual([0, ""]);
    index = await Sluice.open(join(folder, "index"), { readOnly: true });
  });
  afterAll(async () => {
    await index.close();
    await rm(folder, { recursive: true, force: true });
  });
  const shown = ({ hits }: Pick<Answer, "hits">) =>
    hits.map(({ id, score, lexical }) => ({ id, score, lexical }));
  const here = async () => shown(await index.search(QUERY, { syntax: true }));

  test("the command line", async () => {
    expect((await here()).length).toBeGreaterThan(0);
    const flags = [join(folder, "index"), QUERY, "--syntax"];
    expect(shown(JSON.parse((await commandLine(["search", ...flags, "--json"])).out))).toEqual(await here());
    const [{ id }] = await here();
    const { out } = await commandLine(["explain", join(folder, "index"), QUERY, id, "--syntax"]);
    expect(out).toMatch(/title:lock .*\n +title +\d+ × 3 /);
  });

  test("HTTP", async () => {
    const server = createServer({ index });
    const ask = async (path: string, body: object) => {
      const response = await server.fetch(
        new Request(`http://localhost/v1/indexes/index/${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      );
      return (await response.json()) as never;
    };
    expect(shown(await ask("search", { query: QUERY, syntax: true }))).toEqual(await here());
    const must = [
      { text: "lock", field: "title" },
      { phrase: "gate", field: "text" },
      { text: "ca", prefix: true },
    ];
    expect(shown(await ask("search", { query: { must } }))).toEqual(shown(await index.search({ must })));
    const [{ id }] = await here();
    const { matched }: Explanation = await ask("explain", { query: QUERY, id, syntax: true });
    expect(matched.map(({ field }) => field)).toContain("title");
  });

  test("a page", async () => {
    const place = join(folder, "web");
    await index.exportWeb(place);
    const reader = await SluiceReader.open("https://example.org/web", { fetch: folderFetch(place, "/web/") });
    expect(shown(await reader.search(QUERY, { syntax: true }))).toEqual(await here());
    const must = [{ phrase: "lock gate", field: "text" }];
    expect(shown(await reader.search({ must }))).toEqual(shown(await index.search({ must })));
  });

  test("highlights and snippets mark a word in its field alone", async () => {
    const { hits, terms } = await index.search("title:lock", { syntax: true, snippets: true });
    const document = hits[0].document as unknown as Made;
    const marks = (await index.highlight(terms, document as never)) as Record<string, unknown[]>;
    expect(marks.title.length).toBeGreaterThan(0);
    for (const field of ["text", "about.tags"]) expect(marks[field] ?? []).toEqual([]);
    expect(
      hits.flatMap(({ snippets = [] }) => snippets).filter(({ field }) => field === "title"),
    ).toHaveLength(hits.length);
  });
});

test("every word of the documents can be asked for", () => {
  const asked = CASES.flatMap(({ ranks }) => ranks.map((each) => each.split(" ")[0]));
  expect(asked.every((word) => WORDS.includes(word))).toBe(true);
});
