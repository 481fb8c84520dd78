// BM25 over text fields equals its plain definition on random documents: with the weights of the index and with those of a search,
// by words and by words and meaning, with filters, boosts, pages, deletions, several segments and after merges.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SluiceReader } from "../../src/browser/reader.ts";
import type { Answer, Explanation } from "../../src/index.ts";
import { getInternals } from "../../src/internals.ts";
import { createServer } from "../../src/server/index.ts";
import { Sluice } from "../../src/sluice.ts";
import { folderFetch } from "../browser/folder-fetch.ts";
import { commandLine } from "../helpers/command-line.ts";
import {
  BM25,
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

const QUERIES = ["lock", "gate canal boat", "pump lock lock dam", "nowhere gates"];
const ASKED: Record<string, number>[] = [
  { title: 5 },
  { title: 0, text: 2 },
  { title: 0.3, text: 0.1, "about.tags": 9 },
  { text: 0, "about.tags": 0 },
  { title: 0, text: 0 },
];
const weightsOf = (asked: Readonly<Record<string, number>>) =>
  FIELDS.map((name) => ({ ...WEIGHTS, ...asked })[name]!);

describe.each([
  ["few documents", [40, 3, 20]],
  ["many documents in several segments", [700, 300, 280]],
] as [string, number[]][])("%s", (_, sizes) => {
  const count = sizes.reduce((sum, size) => sum + size, 0);
  let [words, both]: Sluice[] = [];
  let [left, leftBoth]: Made[][] = [];
  beforeAll(async () => {
    words = await Sluice.build([] as never[], OPTIONS);
    both = await Sluice.build([] as never[], OPTIONS);
    left = await fill(words, madeDocuments(count, false, 1), sizes, 2);
    leftBoth = await fill(both, madeDocuments(count, true, 3), sizes, 4);
  });

  test.each(QUERIES)("%s: a search with weights of its own, by words", async (query) => {
    for (const asked of ASKED) {
      for (const offset of [0, 7]) {
        const answer = await words.search(query, { ...EXACT, k: 25, offset, fieldWeights: asked });
        const how = { weights: weightsOf(asked), lambda: 0 };
        expectSame(answer, defined(left, answer.terms, how), offset, 25);
      }
    }
  });

  test.each(QUERIES)("%s: with a filter, a boost, corrections and completions", async (query) => {
    const kept = left.filter(({ votes }) => votes >= 2);
    for (const asked of ASKED) {
      const answer = await words.search(query, {
        ...{ ...EXACT, k: 30, fieldWeights: asked, typos: true, prefix: true, synonyms: [["boat", "weir"]] },
        ...{ filter: { votes: { gte: 2 } }, boosts: [{ field: "votes", weight: 0.3 }] },
      });
      // Statistics are those of all documents, and hits those of the filter.
      const how = { weights: weightsOf(asked), lambda: 0, votesWeight: 0.3 };
      const ids = new Set(kept.map(({ id }) => id));
      const expected = defined(left, answer.terms, how).filter(({ id }) => ids.has(id));
      expectSame(answer, expected, 0, 30);
      expect(answer.hits.every(({ boost }) => boost !== undefined)).toBe(true);
    }
  });

  test.each(QUERIES)("%s: by words and meaning", async (text) => {
    const vector = [0.5, -0.25, 0.125];
    for (const asked of ASKED) {
      const options = { ...EXACT, k: 25, offset: 3, lambda: 2, fieldWeights: asked };
      const answer = await both.search({ text, vector }, options);
      const how = { weights: weightsOf(asked), lambda: 2, vector };
      expectSame(answer, defined(leftBoth, answer.terms, how), 3, 25);
      expect(answer.hits.every(({ boost }) => boost === undefined)).toBe(true);
    }
  });

  test("totals and facets count words in fields that are not left out", async () => {
    for (const match of ["any", "all"] as const) {
      const { total, hits } = await words.search("gate canal", {
        k: 2000,
        match,
        total: true,
        fieldWeights: { text: 0 },
      });
      const has = (document: Made, term: string) =>
        termsOf(document).some((own, field) => FIELDS[field] !== "text" && own.includes(term));
      const matching = left.filter((document) =>
        match === "any"
          ? has(document, "gate") || has(document, "canal")
          : has(document, "gate") && has(document, "canal"),
      );
      expect(total).toBe(matching.length);
      expect(hits).toHaveLength(matching.length);
    }
  });

  test("statistics are those of the documents that are left, and a merge makes rows of them", async () => {
    const fresh = await Sluice.build(left, OPTIONS);
    const of = (index: Sluice) => {
      const { weighting, slicing } = getInternals(index).snapshot;
      if (weighting.kind !== "bm25") throw new Error("no BM25");
      const { documentFrequencies, ...totals } = weighting.statistics;
      const byTerm = WORDS.map((term) => documentFrequencies[slicing.vocabulary.findId(term)!]);
      return { ...totals, byTerm };
    };
    expect(of(words)).toEqual(of(fresh));
    await words.optimize();
    for (const query of QUERIES) {
      const options = { ...EXACT, k: 2000 };
      const answer = await words.search(query, options);
      expectSame(answer, defined(left, answer.terms, { weights: weightsOf({}), lambda: 0 }), 0, 2000);
      const other = await words.search(query, { ...options, fieldWeights: { title: 1, "about.tags": 4 } });
      const how = { weights: weightsOf({ title: 1, "about.tags": 4 }), lambda: 0 };
      expectSame(other, defined(left, other.terms, how), 0, 2000);
    }
  });

  test("weights of the index change nothing", async () => {
    const plain = await both.search({ text: "gate canal", vector: [1, 0, 0] }, EXACT);
    const same = await both.search(
      { text: "gate canal", vector: [1, 0, 0] },
      { ...EXACT, fieldWeights: WEIGHTS },
    );
    expect(same.hits).toEqual(plain.hits);
  });
});

describe("title and text with weights of 1", () => {
  test("score as one text", async () => {
    const documents = madeDocuments(400, false, 9).map(({ about: _, ...others }) => others);
    const { fieldWeights: _, ...plain } = OPTIONS;
    const [one, two] = [
      await Sluice.build(documents, plain),
      await Sluice.build(documents, { ...plain, fieldWeights: { title: 1, text: 1 } }),
    ];
    for (const query of QUERIES) {
      const [a, b] = [await one.search(query, { k: 400 }), await two.search(query, { k: 400 })];
      expect(b.hits.map(({ id, score }) => [id, score])).toEqual(a.hits.map(({ id, score }) => [id, score]));
    }
  });
});

describe("an explanation", () => {
  test("shows what each field adds to a term, with the weights of the search", async () => {
    const documents = madeDocuments(300, true, 21);
    const index: Sluice = await Sluice.build(documents, OPTIONS);
    const query = { text: "gate canal boat", vector: [0.5, 0.5, -1] };
    for (const fieldWeights of [undefined, ...ASKED]) {
      const options = { boosts: [{ field: "votes", weight: 0.1 }], ...(fieldWeights && { fieldWeights }) };
      const { hits } = await index.search(query, { ...EXACT, k: 20, ...options });
      for (const hit of hits) {
        const explained = await index.explain(query, hit.id, options);
        expect(explained.score).toBeCloseTo(hit.score, 9);
        expect(explained.lexical).toBeCloseTo(hit.lexical, 9);
        const terms = termsOf(documents.find(({ id }) => id === hit.id)!);
        for (const { term, contribution, fields = [] } of explained.matched) {
          expect(fields.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(contribution, 9);
          const counts = FIELDS.flatMap((field, i) => {
            const count = terms[i].filter((other) => other === term).length;
            return count === 0 ? [] : [{ field, count, weight: weightsOf(fieldWeights ?? {})[i] }];
          });
          expect(fields.map(({ value: _, ...others }) => others)).toEqual(counts);
        }
      }
    }
  });

  test("says nothing of fields if the index has none", async () => {
    const index = await Sluice.build([{ id: "a", text: "lock" }], { encoder: "none" });
    const { matched } = await index.explain("lock", "a");
    expect(matched).toHaveLength(1);
    expect(matched[0]).not.toHaveProperty("fields");
    expect(index.info()).not.toHaveProperty("fieldWeights");
    expect(getInternals(index).snapshot.segments[0].source.sections.names).not.toContain("fieldCounts");
  });
});

describe("what reads texts reads all fields", () => {
  const documents = [
    { id: "a", title: "New", text: "York is old", tags: ["lock", "gate house"], body: "never read" },
    { id: "b", title: "Gate", text: "a new york", tags: "lock" },
  ];
  const fieldWeights = { title: 2, text: 1, tags: 1 };
  let index: Sluice;
  beforeAll(async () => {
    index = (await Sluice.build(documents, {
      encoder: "none",
      positions: true,
      fieldWeights,
    })) as unknown as Sluice;
  });
  const idsOf = async (query: Parameters<Sluice["search"]>[0]) =>
    (await index.search(query)).hits.map(({ id }) => id);

  test("no phrase goes from one text to the next", async () => {
    expect(await idsOf({ must: [{ phrase: "new york", slop: 100 }] })).toEqual(["b"]);
    expect(await idsOf({ must: [{ phrase: "lock gate", slop: 100 }] })).toEqual([]);
    expect(await idsOf({ must: [{ phrase: "gate house" }] })).toEqual(["a"]);
    expect((await idsOf({ must: ["lock"] })).sort()).toEqual(["a", "b"]);
    expect(await idsOf("never")).toEqual([]);
  });

  test("snippets and highlights", async () => {
    const { hits, terms } = await index.search("lock house", { snippets: true });
    const [{ snippets }] = hits.filter(({ id }) => id === "a");
    expect(snippets!.map(({ field, text, marks }) => [field, text, marks])).toEqual([
      ["text", "York is old", []],
      [
        "tags",
        "lock gate house",
        [
          [0, 4],
          [10, 15],
        ],
      ],
    ]);
    expect(await index.highlight(terms, documents[0])).toEqual({
      title: [],
      text: [],
      tags: [
        [0, 4],
        [10, 15],
      ],
    });
  });

  test("documents like another, suggestions and lost terms", async () => {
    expect(await idsOf({ like: "b" })).toEqual(["a"]);
    expect((await index.suggest("hou")).map(({ text }) => text)).toEqual(["house"]);
    const narrow = await Sluice.build(documents, {
      encoder: "none",
      dims: 1,
      slicingStrategy: "hashed",
      fieldWeights,
    });
    const found = await Promise.all(["lock", "house"].map((word) => narrow.explain(word, "a")));
    const all = found.flatMap(({ lost, matched }) => [...lost, ...matched.map(({ term }) => term)]);
    expect(all).toEqual(["lock", "hous"]);
    expect(found.some(({ lost }) => lost.length > 0)).toBe(true);
  });

  test("an encoder reads the fields in their order", async () => {
    const fields = { tags: 1, title: 1 };
    const read = await Sluice.build(documents, { fieldWeights: fields });
    const joined = await Sluice.build([
      { id: "a", text: "lock gate house New" },
      { id: "b", text: "lock Gate" },
    ]);
    for (const { id } of documents) expect(await read.vector(id)).toEqual(await joined.vector(id));
  });
});

describe("bad input", () => {
  const documents = [{ id: "a", title: "lock" }];
  const build = (fieldWeights: unknown, options: object = {}) =>
    Sluice.build(documents, { encoder: "none", fieldWeights: fieldWeights as never, ...options });
  test.each([
    [[], "fieldWeights must be an object of fields and weights, not a list"],
    [{}, "fieldWeights has 0 fields, expected 1 to 32"],
    [{ title: 0 }, "fieldWeights.title is 0; an index does not read such a field"],
    [{ title: -1 }, "fieldWeights.title must be a number from 0 to 1,000, not -1"],
    [{ title: "3" }, 'fieldWeights.title must be a number from 0 to 1,000, not "3"'],
    [{ title: Number.NaN }, "fieldWeights.title must be a number from 0 to 1,000, not NaN"],
    [{ vector: 1 }, 'fieldWeights: "vector" cannot be a text field'],
  ])("a new index with %j", async (weights, message) => {
    await expect(build(weights)).rejects.toThrow(message);
  });

  test("with weights of documents", async () => {
    await expect(build({ title: 1 }, { lexical: "weights" })).rejects.toThrow(
      "fieldWeights are weights of texts",
    );
  });

  test("a document with a value that is no text", async () => {
    const index = await Sluice.open(join(tmpdir(), "sluice-fields-none"), {
      fieldWeights: { tags: 1 },
      encoder: "none",
    });
    const add = (tags: unknown) => index.add([{ id: "a", tags }]);
    await expect(add(7)).rejects.toThrow('document 1, "a": "tags" is 7, expected a text or a list of texts');
    await expect(add(["a", null])).rejects.toThrow(
      '"tags" is a list with null, expected a text or a list of texts',
    );
    expect(await add(null)).toEqual({ added: 1 });
    await index.close();
  });

  test.each([
    [{ titel: 1 }, 'fieldWeights: the index has no text field "titel"'],
    [{ title: 0 }, "fieldWeights: all weights are 0"],
    [{ title: -1 }, "fieldWeights.title must be a number from 0 to 1,000, not -1"],
    ["title=5", 'fieldWeights must be an object of fields and weights, not "title=5"'],
  ])("a search with %j", async (weights, message) => {
    const index = await build({ title: 2 });
    await expect(index.search("lock", { fieldWeights: weights as never })).rejects.toThrow(message);
    await expect(index.explain("lock", "a", { fieldWeights: weights as never })).rejects.toThrow(message);
  });

  test("a search of an index that cannot change weights", async () => {
    const plain = await Sluice.build(documents, { encoder: "none" });
    await expect(plain.search("lock", { fieldWeights: { title: 2 } })).rejects.toThrow(
      "fieldWeights need text fields, and this index reads title and text as one text",
    );
    const narrow = await build({ title: 2, text: 1 }, { dims: 16 });
    expect((await narrow.search("lock")).hits).toHaveLength(1);
    await expect(narrow.search("lock", { fieldWeights: { title: 3 } })).rejects.toThrow(
      "fieldWeights of a search need a slot for every term, and rows of this index have 16",
    );
  });
});

test("a call that fails leaves the statistics of fields as they were", async () => {
  const documents = madeDocuments(60, false, 41);
  const index = (await Sluice.build(documents, OPTIONS)) as unknown as Sluice;
  const statistics = () => {
    const { weighting } = getInternals(index).snapshot;
    return weighting.kind === "bm25" && { ...weighting.statistics };
  };
  const before = statistics();
  const changed = documents.slice(0, 9).map(({ id }) => ({ id, title: "lock lock", text: "gate" }));
  await index.delete(["d50"]);
  await expect(index.upsert([...changed, { id: "bad", title: 7 }] as never)).rejects.toThrow('"title" is 7');
  await index.upsert([documents[50]]);
  await index.commit();
  expect(statistics()).toEqual(before);
  await index.close();
});

test("a cluster refuses text fields before anything is sent", async () => {
  const message = "an index on a cluster reads title and text as one text, and has no fieldWeights";
  const address = "opensearch://localhost:1/none";
  await expect(Sluice.open(address, { fieldWeights: { title: 1 } })).rejects.toThrow(message);
  const index = await Sluice.build([{ id: "a", title: "lock" }], {
    encoder: "none",
    fieldWeights: { title: 2 },
  });
  await expect(index.save(address)).rejects.toThrow(message);
  await index.close();
});

describe("surfaces", () => {
  let folder = "";
  let index: Sluice;
  const options = { k: 40, fieldWeights: { title: 0, text: 4 } };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sluice-fields-"));
    const lines = madeDocuments(400, false, 31).map((document) => JSON.stringify({ text: "", ...document }));
    await writeFile(join(folder, "documents.jsonl"), lines.join("\n"));
    const { status, err } = await commandLine([
      ...["index", join(folder, "index"), join(folder, "documents.jsonl"), "--analyzer", "whitespace"],
      ...["--encoder", "none", "--field-weights", "title=3,text=1,about.tags=0.7"],
      ...["--k1", String(BM25.k1), "--b", String(BM25.b)],
    ]);
    expect([status, err]).toEqual([0, ""]);
    index = await Sluice.open(join(folder, "index"), { readOnly: true });
    expect(index.info().fieldWeights).toEqual(WEIGHTS);
    expect(index.info().fieldBytes).toBeGreaterThan(400);
  });
  afterAll(async () => {
    await index.close();
    await rm(folder, { recursive: true, force: true });
  });
  const shown = (hits: readonly { id: string; score: number; lexical: number }[]) =>
    hits.map(({ id, score, lexical }) => ({ id, score, lexical }));

  test("the command line", async () => {
    const expected = shown((await index.search("lock canal", options)).hits);
    for (const weights of ["title=0,text=4", '{"title": 0, "text": 4}']) {
      const flags = ["--k", "40", "--field-weights", weights, "--json"];
      const { out } = await commandLine(["search", join(folder, "index"), "lock canal", ...flags]);
      expect(shown(JSON.parse(out).hits)).toEqual(expected);
    }
    const asked = [
      "explain",
      join(folder, "index"),
      "lock canal",
      expected[0].id,
      "--field-weights",
      "text=4",
    ];
    expect((await commandLine(asked)).out).toMatch(/text +\d+ × 4 /);
    expect((await commandLine(["info", join(folder, "index")])).out).toContain(
      "title × 3, text × 1, about.tags × 0.7",
    );
    const wrong = await commandLine(["search", join(folder, "index"), "lock", "--field-weights", "title"]);
    expect([wrong.status, wrong.err]).toEqual([2, expect.stringContaining("title=5,text=0.5")]);
  });

  test("HTTP", async () => {
    const server = createServer({ index });
    const ask = async (path: string, body: object) => {
      const response = await server.fetch(
        new Request(`http://localhost/v1/indexes/${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      );
      return (await response.json()) as never;
    };
    const expected = shown((await index.search("lock canal", options)).hits);
    const { hits }: Answer = await ask("index/search", { query: "lock canal", ...options });
    expect(shown(hits)).toEqual(expected);
    const { matched }: Explanation = await ask("index/explain", {
      ...{ query: "lock canal", id: expected[0].id, fieldWeights: options.fieldWeights },
    });
    expect(matched[0].fields!.length).toBeGreaterThan(0);
  });

  test("a page", async () => {
    const place = join(folder, "web");
    await index.exportWeb(place);
    const reader = await SluiceReader.open("https://example.org/web", { fetch: folderFetch(place, "/web/") });
    expect(reader.info().fieldWeights).toEqual(WEIGHTS);
    for (const query of QUERIES) {
      const [here, there] = [await index.search(query, options), await reader.search(query, options)];
      expect(shown(there.hits)).toEqual(shown(here.hits));
      const [best] = here.hits;
      const { fieldWeights } = options;
      expect((await reader.explain(query, best.id, { fieldWeights })).matched).toEqual(
        (await index.explain(query, best.id, { fieldWeights })).matched,
      );
    }
  });
});

describe("in a folder", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sluice-fields-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("counts by field survive commits, merges and backups", async () => {
    const [place, copy] = [join(folder, "index"), join(folder, "copy")];
    const documents = madeDocuments(600, false, 11);
    const index = await Sluice.open<Made>(place, OPTIONS);
    const left = await fill(index as unknown as Sluice, documents, [300, 200, 100], 12);
    await index.backup(copy);
    await index.close();
    expect((await Sluice.verify(place)).problems).toEqual([]);
    for (const each of [place, copy]) {
      const again = await Sluice.open<Made>(each, { readOnly: true, fieldWeights: WEIGHTS });
      const answer = await again.search("lock canal", { ...EXACT, k: 600, fieldWeights: { title: 0 } });
      expectSame(
        answer,
        defined(left, answer.terms, { weights: weightsOf({ title: 0 }), lambda: 0 }),
        0,
        600,
      );
      await again.close();
    }
    await expect(Sluice.open(place, { fieldWeights: { title: 3, text: 1 } })).rejects.toThrow(
      'opened with fieldWeights {"text":1,"title":3}, but the index has {"about.tags":0.7,"text":1,"title":3}',
    );
  });

  test("term factors multiply the weights of a search, too", async () => {
    const factored = [
      { id: "a", title: "lock", text: "gate", termFactors: { lock: 2, gate: 0.5 } },
      { id: "b", title: "gate", text: "lock lock" },
    ];
    const index = await Sluice.build(factored, { ...OPTIONS, fieldWeights: { title: 3, text: 1 } });
    const other = await Sluice.build(factored, { ...OPTIONS, fieldWeights: { title: 1, text: 4 } });
    const [changed, built] = [
      await index.search("lock gate", { fieldWeights: { title: 1, text: 4 } }),
      await other.search("lock gate"),
    ];
    expect(changed.hits.map(({ id, score }) => [id, score])).toEqual(
      built.hits.map(({ id, score }) => [id, score]),
    );
  });
});
