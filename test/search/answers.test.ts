// Counts, sort, groups, snippets and documents like another are the same in the library, over HTTP, in a page and
// on the command line.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { SluiceReader } from "../../src/browser/reader.ts";
import { type Query, type SearchOptions, Sluice } from "../../src/index.ts";
import { createServer } from "../../src/server/index.ts";
import { folderFetch } from "../browser/folder-fetch.ts";
import { commandLine } from "../helpers/command-line.ts";

const KINDS = ["lock", "weir", "mill"];
const DOCUMENTS = Array.from({ length: 600 }, (_, i) => ({
  id: `d${i}`,
  title: `Number ${i}`,
  text: `A ${KINDS[i % 3]} on the canal, built by hand${i % 5 === 0 ? " of stone" : ""}`,
  kind: KINDS[i % 3],
  year: 1800 + ((i * 7) % 40),
  tags: i % 2 === 0 ? ["old", "dry"] : ["old"],
}));

let built: Sluice;
let folder: string;
let reader: SluiceReader;

beforeAll(async () => {
  built = (await Sluice.build(DOCUMENTS)) as unknown as Sluice;
  folder = mkdtempSync(join(tmpdir(), "sluice-answers-"));
  await built.save(join(folder, "index"));
  await built.exportWeb(join(folder, "web"));
  reader = await SluiceReader.open("http://localhost/", { fetch: folderFetch(join(folder, "web")) });
});

test("with groupBy an answer counts the groups of the documents that it counts", async () => {
  const groupsOf = async (groupBy: string, more: SearchOptions = {}) =>
    (await built.search("stone lock", { groupBy, match: "any", ...more })).groups;
  expect(await groupsOf("kind")).toBe(3);
  expect(await groupsOf("tags")).toBe(2); // lists are compared whole
  const { total } = await built.search("stone lock", { match: "any", total: true });
  expect(await groupsOf("nothing")).toBe(total);
  const years = new Set(DOCUMENTS.filter(({ kind }) => kind === "weir").map(({ year }) => year));
  expect(await groupsOf("year", { k: 0, among: "filter", filter: { kind: "weir" } })).toBe(years.size);
  const best = await built.search("stone lock", { groupBy: "kind", among: 1 });
  expect([best.total, best.groups]).toEqual([1, 1]);
  expect((await built.search("stone lock", { total: true })).groups).toBeUndefined();
});

test("with k: 0 an answer has the same counts, and no hits", async () => {
  const counting: SearchOptions = { total: true, facets: ["kind"] };
  const asked: SearchOptions[] = [
    counting,
    { ...counting, sort: "year" },
    { ...counting, groupBy: "kind" },
    { ...counting, match: "all", minScore: 0.5 },
    { ...counting, offset: 2 },
  ];
  for (const options of asked) {
    const [{ hits, ...none }, some] = [
      await built.search("stone lock", { ...options, k: 0 }),
      await built.search("stone lock", options),
    ];
    expect(hits).toEqual([]);
    expect([none.total, none.facets, none.among]).toEqual([some.total, some.facets, some.among]);
  }
  expect((await built.search("stone lock", { k: 0 })).hits).toEqual([]);
  await expect(built.search("stone", { k: -1 })).rejects.toThrow("k must be a whole number from 0");
});

const post = async (query: Query, options: object) => {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query, ...options }),
  };
  return createServer({ built }).fetch(new Request("http://localhost/v1/indexes/built/search", init));
};

/** An answer without what differs between surfaces: times. */
const comparable = ({ stats: _, totalMs: __, ...answer }: object & { stats?: unknown; totalMs?: number }) =>
  JSON.parse(JSON.stringify(answer));

const CASES: [Query, SearchOptions][] = [
  [
    "stone lock",
    { match: "all", facets: ["kind", { field: "year", ranges: [{ lt: 1820 }, { gte: 1820 }] }], k: 3 },
  ],
  ["stone lock", { total: true, sort: { field: "year", order: "desc" }, offset: 2, k: 4 }],
  [
    "stone lock",
    { groupBy: "kind", facets: [{ field: "tags", limit: 1 }], among: "filter", filter: { year: 1807 } },
  ],
  ["stone", { snippets: { length: 30 }, k: 2 }],
  ["stone", { k: 0 }],
  ["stone lock", { k: 0, total: true, groupBy: "kind", sort: "year", facets: ["kind"] }],
  [{ like: "d12" }, { k: 3, among: 50, facets: ["kind"] }],
];

test.each(CASES)("%j with %j", async (query, options) => {
  const expected = comparable(await built.search(query, options));
  expect(expected.hits.length > 0).toBe(options.k !== 0);
  expect(comparable(await reader.search(query, options))).toEqual(expected);
  const response = await post(query, options);
  expect(response.status).toBe(200);
  expect(comparable((await response.json()) as object)).toEqual(expected);
});

test("the command line prints the same counts, and shows them to people", async () => {
  const options = {
    k: 2,
    facets: ["kind", "year"],
    sort: { field: "year", order: "desc" },
    groupBy: "kind",
  } as const;
  const flags = [
    "--k",
    "2",
    "--facets",
    "kind,year",
    "--sort",
    "year:desc",
    "--group-by",
    "kind",
    "--match",
    "any",
  ];
  const { out } = await commandLine(["search", join(folder, "index"), "stone", ...flags, "--json"]);
  const { query, ...answer } = JSON.parse(out);
  expect(query).toBe("stone");
  expect(comparable(answer)).toEqual(comparable(await built.search("stone", { ...options, match: "any" })));
  const shown = (await commandLine(["search", join(folder, "index"), "stone", ...flags])).out;
  expect(shown).toContain("120 documents match");
  expect(shown).toContain("kind: lock (40), mill (40), weir (40)");
  const ranges = '["nothing", {"field": "year", "ranges": [{"lt": 1820}, {"gte": 1820, "lt": 1830}]}]';
  const inRanges = (await commandLine(["search", join(folder, "index"), "stone", "--facets", ranges])).out;
  expect(inRanges).toMatch(/nothing: no values\nyear: < 1820 \(\d+\), ≥ 1820 and < 1830 \(\d+\)\n/);
  const like = await commandLine(["search", join(folder, "index"), "--like", "d12", "--k", "1", "--json"]);
  expect(JSON.parse(like.out).hits).toHaveLength(1);
});

test("the server limits what one request may ask for", async () => {
  expect((await post("stone", { among: 1_000_000, total: true })).status).toBe(400);
  expect((await post("stone", { facets: Array(101).fill("kind") })).status).toBe(400);
  expect((await post("stone", { facets: [{ field: "kind", ranges: [{}] }] })).status).toBe(400);
  expect((await post("stone", { facets: ["text"] })).status).toBe(400);
});

test("a page refuses fields that were not exported", async () => {
  await built.exportWeb(join(folder, "few"), { keepFields: ["kind"] });
  const few = await SluiceReader.open("http://localhost/", { fetch: folderFetch(join(folder, "few")) });
  await expect(few.search("stone", { facets: ["year"] })).rejects.toThrow(/year/);
  expect((await few.search("stone", { facets: ["kind"], match: "any" })).total).toBe(120);
});

test("over HTTP and on the command line, long documents are cut, replaced and deleted", async () => {
  const index = (await Sluice.build([{ id: "other", text: "pumps" }], {
    encoder: "none",
  })) as unknown as Sluice;
  const { fetch: answer } = createServer({ index });
  const send = async (method: string, path: string, body: object) => {
    const init = { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await answer(new Request(`http://localhost/v1/indexes/index/${path}`, init));
    return [response.status, await response.json()] as [
      number,
      { added?: number; deleted?: number; docs?: number },
    ];
  };
  const text = "one two three. four five six. seven eight nine.";
  const cut = encodeURIComponent(JSON.stringify({ words: 3 }));
  expect(await send("PUT", `documents?passages=${cut}`, { documents: [{ id: "a", text }] })).toMatchObject([
    200,
    { added: 3 },
  ]);
  expect(await send("PUT", "documents?passages=true", { documents: [{ id: "a", text }] })).toMatchObject([
    200,
    { docs: 2 },
  ]);
  expect(await send("DELETE", "documents", { ids: ["a"] })).toMatchObject([200, { deleted: 0 }]);
  expect(await send("DELETE", "documents", { ids: ["a"], withPassages: true })).toMatchObject([
    200,
    { deleted: 1, docs: 1 },
  ]);
  expect(await send("PUT", "documents?passages=3", { documents: [{ id: "a", text }] })).toMatchObject([
    400,
    {},
  ]);
  await index.upsert([{ id: "a", text }], { passages: { words: 3 } });
  await index.commit();
  await index.save(join(folder, "passages"));
  const { out } = await commandLine(["delete", join(folder, "passages"), "a", "--with-passages"]);
  expect(out).toContain("3 passages deleted, 1 left");
});

/** Of search.ts. */
const SEARCHES_BETWEEN_TURNS = 64;

test("searches in a loop let timers run", async () => {
  const index = await Sluice.build([{ id: "a", text: "a lock of a canal" }], { encoder: "none" });
  let hasRun = false;
  setTimeout(() => {
    hasRun = true;
  }, 0);
  let searches = 0;
  while (!hasRun && searches < 1000) {
    await index.search("canal");
    searches++;
  }
  // A turn may come before the timer is due, which takes 1 ms. The timer has then run after the next turn.
  expect(searches).toBeLessThanOrEqual(2 * SEARCHES_BETWEEN_TURNS);
  await index.close();
});

test("a range holds for one element of a list: filters, lists and counted ranges, in the library and in a page", async () => {
  const documents = [
    { id: "outside", text: "a canal", list: [-5, 20] },
    { id: "inside", text: "a canal", list: [-5, 7, 20] },
    { id: "single", text: "a canal", list: 13 },
  ];
  const index = (await Sluice.build(documents, { encoder: "none" })) as unknown as Sluice;
  const site = mkdtempSync(join(tmpdir(), "sluice-range-"));
  await index.exportWeb(site);
  const page = await SluiceReader.open("http://localhost/", { fetch: folderFetch(site) });
  const range = { gt: 3, lte: 13 };
  const filter = { list: range };
  for (const searched of [index, page]) {
    const { hits } = await searched.search("canal", { filter });
    expect(hits.map(({ id }) => id).sort()).toEqual(["inside", "single"]);
    expect((await searched.list({ filter, limit: 0 })).total).toBe(2);
    const { facets } = await searched.search("canal", { facets: [{ field: "list", ranges: [range] }] });
    expect(facets![0].ranges![0].docs).toBe(2);
    const both = { and: [{ list: { gt: 3 } }, { list: { lte: 13 } }] };
    expect((await searched.search("canal", { filter: both })).hits).toHaveLength(3);
    const typed = await searched.search("canal list:4..13", { syntax: true });
    expect(typed.hits.map(({ id }) => id).sort()).toEqual(["inside", "single"]);
  }
});
