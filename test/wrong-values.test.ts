// Values of the wrong kind, through the library: each is one clear error, and never an answer that looks right.

import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { english, loadAnalyzer, universal, whitespace } from "../src/analyze/index.ts";
import { CrossEncoder, Encoder } from "../src/encode/index.ts";
import { Sluice, SluiceError } from "../src/index.ts";
import { readFiles } from "../src/read/index.ts";

const documents = [
  { id: "5", text: "a canal lock", year: 1900 },
  { id: "6", text: "a canal weir", year: 1910 },
];

async function failureOf(work: () => unknown): Promise<SluiceError> {
  try {
    await work();
  } catch (error) {
    expect(error).toBeInstanceOf(SluiceError);
    return error as SluiceError;
  }
  throw new Error("it did not fail");
}

const any = (value: unknown) => value as never;

test.each<[string, (text: string) => unknown, string]>([
  [
    "numbers",
    (text) => [text.charCodeAt(0)],
    'the analyzer "own" gave a list with 97, expected a list of texts',
  ],
  ["null", () => null, 'the analyzer "own" gave null, expected a list of texts'],
  ["a text", (text) => text, 'the analyzer "own" gave "a canal lock", expected a list of texts'],
  ["nothing", () => undefined, 'the analyzer "own" gave undefined, expected a list of texts'],
  ["a promise", async (text) => [text], 'the analyzer "own" gave a promise, expected a list of texts'],
])("an own analyzer that gives %s", async (_, terms, message) => {
  for (const analyzer of [{ name: "own", terms }, Object.defineProperty(terms, "name", { value: "own" })])
    for (const fieldWeights of [undefined, { text: 1 }]) {
      const options = {
        analyzer: any(analyzer),
        encoder: "none",
        ...(fieldWeights && { fieldWeights }),
      } as const;
      expect((await failureOf(() => Sluice.build(documents, options))).message).toContain(message);
    }
});

test("an own analyzer that gives terms works, with its ranges, too", async () => {
  const analyzer = {
    name: "own",
    separator: " ",
    terms(text: string) {
      return text.split(this.separator);
    },
    eachTerm(text: string, emit: (term: string, start: number, end: number) => void) {
      for (const { 0: word, index } of text.matchAll(/\S+/g)) emit(word, index, index + word.length);
    },
  };
  await using index = await Sluice.build(documents, { analyzer, encoder: "none" });
  const { hits } = await index.search("weir", { snippets: true });
  expect(hits.map(({ id, snippets }) => [id, snippets![0].marks])).toEqual([["6", [[8, 12]]]]);
  analyzer.eachTerm = (text, emit) => emit(text, 0, text.length + 1);
  const { message } = await failureOf(() => index.search("weir", { snippets: true }));
  expect(message).toContain('the analyzer "own" puts a term at 0 to 13 of a text of 12 characters');
});

test.each<[string, () => unknown, string]>([
  ["too few scores", () => [1], "score gave 1 scores, expected a list of 2 numbers, one for each text"],
  ["NaN", () => [1, Number.NaN], "score gave a list with NaN"],
  ["texts", () => ["1", "2"], 'score gave a list with "1"'],
  ["a text", () => "no", 'score gave "no", expected a list of 2 numbers'],
  ["nothing", () => undefined, "score gave undefined"],
])("an own cross-encoder that gives %s", async (_, score, message) => {
  await using index = await Sluice.build(documents, { encoder: "none" });
  const model = { path: "own", score: any(async () => score()) };
  expect((await failureOf(() => index.search("canal", { rerank: { model } }))).message).toContain(message);
});

test("ids are texts", async () => {
  await using index = await Sluice.build(documents, { encoder: "none" });
  const wrong: (() => unknown)[] = [
    () => index.delete([any(5)]),
    () => index.has(any(5)),
    () => index.document(any(5)),
    () => index.documents([any(5)]),
    () => index.documents(any(undefined)),
    () => index.vector(any(5)),
    () => index.explain("canal", any(5)),
    () => index.search("canal", { exclude: [any(5)] }),
    () => index.search("canal", { exclude: new Set([any(null)]) }),
  ];
  for (const work of wrong)
    expect((await failureOf(work)).message).toMatch(/must be an? (?:text|id|list of ids)/);
  expect(await index.delete(["5"].values())).toEqual({ deleted: 1 });
  expect((await index.search("canal", { exclude: ["6"].values() })).hits.map(({ id }) => id)).toEqual(["5"]);
});

test("one text or one document is not a list: its letters are never taken for ids", async () => {
  await using index = await Sluice.build(documents, { encoder: "none" });
  const wrong: (() => unknown)[] = [
    () => index.delete("56"),
    () => index.documents(any("56")),
    () => index.search("canal", { exclude: "56" }),
    () => index.add(any("56")),
    () => index.upsert(any({ id: "56", text: "canal" })),
    () => Sluice.build(any("56")),
    () => index.encodeQueries(any("56")),
  ];
  for (const work of wrong) {
    const { message, hint } = await failureOf(work);
    expect(message).toMatch(/^\w+ must be a list of \w+, not/);
    expect(hint).toBe("put it into a list: [ … ]");
  }
  expect(index.docs).toBe(2);
});

test("what is missing or empty is named as it is", async () => {
  await using index = await Sluice.build(documents, { encoder: "none" });
  const folder = mkdtempSync(join(tmpdir(), "sluice-wrong-"));
  const cases: [() => unknown, string][] = [
    [() => Sluice.build(any(undefined)), "documents must be a list of documents, not undefined"],
    [() => Sluice.build(any(null)), "documents must be a list of documents, not null"],
    [
      () => Encoder.open(any(undefined)),
      "the name or the folder of an encoder must be a text, not undefined",
    ],
    [() => CrossEncoder.open(any(undefined)), "the folder of a cross-encoder must be a text, not undefined"],
    [() => index.highlight(any(5), any(6)), "terms must be a list of terms of explainQuery, not 5"],
    [() => index.highlight([], any(6)), "document must be an object with the fields of a document, not 6"],
    [
      () => index.search("x", { facets: [{ field: "year", ranges: [] }] }),
      "facets[0].ranges is an empty list",
    ],
    [
      () => index.search("x", { facets: [{ field: "year", ranges: [{}] }] }),
      "facets[0].ranges[0] is empty, expected lt, lte, gt, gte",
    ],
    [
      () => index.search("x", { sort: "year:down" as never }),
      'sort: "down" is not an order, expected asc or desc',
    ],
    [() => Sluice.restore(join(folder, "nope"), join(folder, "index")), "there is no backup"],
    [() => index.search("x", { fields: any([5]) }), "fields[0] must be a text, not 5"],
    [() => Sluice.build(any([{ id: "1", text: ["a"] }])), '"text" is a list, expected a text'],
    [() => readFiles(any(5)), "a file must be a path, or a stream: { name, bytes }, not 5"],
    [() => readFiles("d.jsonl", any({ ids: "a" })), 'readFiles has no option "ids"; did you mean "id"?'],
    [() => readFiles("d.jsonl", any({ format: "xml" })), "format must be one of jsonl, json"],
  ];
  for (const [work, message] of cases) expect((await failureOf(work)).message).toContain(message);
  const { hint, code } = await failureOf(() => Sluice.restore(join(folder, "nope"), join(folder, "index")));
  expect([hint, code]).toEqual([
    "give the folder of a backup, or the tar file of a server",
    "ERR_SLUICE_NO_INDEX",
  ]);
});

test("a location is the path of a folder, or the address of a cluster", async () => {
  await using index = await Sluice.build(documents, { encoder: "none" });
  const calls: ((location: string) => unknown)[] = [
    (location) => Sluice.open(location),
    (location) => Sluice.exists(location),
    (location) => Sluice.drop(location),
    (location) => Sluice.verify(location),
    (location) => Sluice.restore(location, "new"),
    (location) => Sluice.restore("backup", location),
    (location) => Sluice.repair(location, "new"),
    (location) => index.save(location),
    (location) => index.exportWeb(location),
    (location) => readFiles(location),
  ];
  const path = join(tmpdir(), "of-a-url");
  const url = pathToFileURL(path);
  for (const call of calls) {
    expect((await failureOf(() => call("a\0b"))).message).toContain("without the character 0");
    for (const location of [url.href, any(url)]) {
      const { message, hint } = await failureOf(() => call(location));
      expect(message).toContain(`must be a path, not the URL ${url.href}`);
      expect(hint).toBe(`give the path: ${path}`);
    }
    expect((await failureOf(() => call("https://example.org/index"))).message).toContain("not the URL https");
  }
  expect(existsSync("file:")).toBe(false);
});

test.each(["http://h:9200/x", "https://h/x", "elasticsearch://h/x", "OpenSearch://h/x"])(
  "the address %s of a cluster gets a hint",
  async (location) => {
    const { message, hint } = await failureOf(() => Sluice.open(location));
    expect(message).toContain(`must be a path, not the URL ${location}`);
    expect(hint).toContain("an address such as opensearch://host:9200/name");
  },
);

test("sort takes the order in a text", async () => {
  const named = documents.map((document) => ({ ...document, "dc:date": document.year }));
  await using index = await Sluice.build(named, { encoder: "none" });
  const ids = async (sort: NonNullable<Parameters<typeof index.search>[1]>["sort"]) =>
    (await index.search("canal", { sort })).hits.map(({ id }) => id).join();
  expect([await ids("year"), await ids("year:asc"), await ids("year:desc")]).toEqual(["5,6", "5,6", "6,5"]);
  expect(await ids("dc:date:desc")).toBe("6,5");
});

test("analyzers refuse what is no text", async () => {
  const named = await Promise.all((["german", "chinese", "thai"] as const).map((name) => loadAnalyzer(name)));
  for (const analyzer of [universal, english, whitespace, ...named])
    for (const value of [null, undefined, 5, {}, ["a"]]) {
      const message = /^the text to analyze must be a text, not /;
      expect((await failureOf(() => analyzer.terms(any(value)))).message).toMatch(message);
      expect((await failureOf(() => analyzer.eachTerm?.(any(value), () => {}))).message).toMatch(message);
    }
});

test("a text of a query that is too long to be read at once is refused", async () => {
  await using index = await Sluice.build(documents, { encoder: "none" });
  const [longest, longer] = [262_144, 262_145].map((length) => "canal ".repeat(45_000).slice(0, length));
  expect((await index.search(longest)).hits).toHaveLength(2);
  const message = /has 262,145 characters, expected at most 262,144/;
  for (const query of [
    longer,
    { text: longer },
    { must: [longer] },
    { text: "a", mustNot: [{ phrase: longer }] },
  ])
    for (const options of [{}, { syntax: true, typos: true }]) {
      const error = await failureOf(() => index.search(query, options));
      expect([error.code, error.message]).toEqual(["ERR_SLUICE_INVALID", expect.stringMatching(message)]);
    }
  expect((await failureOf(() => index.suggest(longer))).message).toMatch(message);
  expect((await failureOf(() => index.explain(longer, "5"))).message).toMatch(message);
});
