// A query that means nothing gets no hits, however near the nearest vector is. A query that means something gets hits, even if
// the index knows none of its terms. These tests use the built-in encoder, since a fake one cannot tell the two apart.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SluiceReader } from "../../src/browser/reader.ts";
import { Encoder } from "../../src/encode/encoder.ts";
import { createServer, type SluiceServer } from "../../src/server/index.ts";
import { Sluice } from "../../src/sluice.ts";
import { runSearch, searchInput, searchText } from "../../src/tools/search-tool.ts";
import type { ToolLimits } from "../../src/tools/tool-limits.ts";
import { folderFetch } from "../browser/folder-fetch.ts";
import { commandLine } from "../helpers/command-line.ts";

const DOCUMENTS = [
  { id: "heart", text: "Myocardial infarction is treated with aspirin and by opening the blocked artery." },
  { id: "canal", text: "A lock raises and lowers boats between stretches of water of different levels." },
  { id: "bread", text: "Dough rises because yeast turns sugar into carbon dioxide." },
  { id: "law", text: "The tenant may end the lease with a notice of three months." },
  { id: "sleep", text: "Insomnia: patients lie awake for hours and feel tired during the day." },
  {
    id: "hamlet",
    text: "To be, or not to be, that is the question: whether 'tis nobler in the mind to suffer.",
  },
];

const root = mkdtempSync(join(tmpdir(), "sluice-made-up-"));
const folder = join(root, "index");
let encoder: Encoder;
let index: Sluice;
let reader: SluiceReader;
let server: SluiceServer;
beforeAll(async () => {
  encoder = await Encoder.open("builtin:vectors", { threads: 1 });
  const written = await Sluice.open(folder, { encoder });
  await written.add(DOCUMENTS);
  await written.commit();
  await written.exportWeb(join(root, "export"));
  index = written;
  reader = await SluiceReader.open("https://example.org/some/index", {
    fetch: folderFetch(join(root, "export"), "/some/index/"),
    encode: async (text) => (await encoder.encode([text], "query"))[0],
  });
  server = createServer({ index }, { page: false, refreshMs: 0 });
});
afterAll(async () => {
  await server.close();
  await reader.close();
  await index.close();
  rmSync(root, { recursive: true, force: true });
});

const ids = ({ hits }: { hits: readonly { id: string }[] }) => hits.map(({ id }) => id);

async function asked(path: string, init?: RequestInit) {
  const response = await server.fetch(new Request(`http://any.example/v1/indexes/index/${path}`, init));
  expect(response.status).toBe(200);
  // biome-ignore lint/suspicious/noExplicitAny: what a server says is looked into field by field
  return (await response.json()) as any;
}

/** What the tool of a language model finds. */
const searchBy = (input: object, limits: ToolLimits = {}) =>
  runSearch(index, searchInput(limits).parse(input), limits);

const posted = (body: object) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

describe("no hits", () => {
  test.each(["", "   ", "\n"])("for the empty query %j, wherever it is asked", async (query) => {
    for (const searched of [index, reader]) {
      const answer = await searched.search(query);
      expect(answer.hits).toEqual([]);
      expect(answer.stats.answeredBy).toBe("nothing");
      expect((await searched.search({ text: query })).hits).toEqual([]);
    }
    expect(await asked(`search?query=${encodeURIComponent(query)}`)).toMatchObject({
      hits: [],
      stats: { answeredBy: "nothing" },
    });
    expect(await asked("search", posted({ query }))).toMatchObject({ hits: [] });
    const output = await searchBy({ query });
    expect(output.hits).toEqual([]);
    expect(searchText(output)).toBe("No document matches.");
  });

  // The rule lets some made-up words pass (ARCHITECTURE.md says how many); these are not among them.
  test.each([
    ...["the", "of the", "is it", "zzzzqqq", "hjklmpt", "qqqq wwww", "???", "quantum chromodynamics"],
  ])("for %j, which says nothing about these documents", async (query) => {
    for (const searched of [index, reader]) {
      const answer = await searched.search(query);
      expect(ids(answer)).toEqual([]);
      expect(answer.stats.answeredBy).toBe("meaning");
    }
  });

  test("the command line says why", async () => {
    expect((await commandLine(["search", folder, ""])).out).toContain("the query is empty");
    expect((await commandLine(["search", folder, "zzzzqqq"])).out).toMatch(
      /0 hits[\s\S]*no document holds a word/,
    );
  });
});

describe("hits by meaning alone", () => {
  test.each([
    ["heart attack", "heart"],
    ["cardiac arrest", "heart"],
    ["unable to sleep at night", "sleep"],
    ["baking a loaf", "bread"],
    ["renting a flat", "law"],
    ["to be or not to be", "hamlet"],
  ])("for %j", async (query, id) => {
    for (const searched of [index, reader]) {
      const answer = await searched.search(query);
      expect(answer.hits[0]?.id).toBe(id);
      expect(answer.stats.answeredBy).toBe("meaning");
      expect(answer.hits.length).toBeLessThan(DOCUMENTS.length);
    }
  });

  test("a known word is enough to be answered as ever", async () => {
    const answer = await index.search("zzzzqqq aspirin");
    expect(answer.hits).toHaveLength(DOCUMENTS.length);
    expect(answer.stats).not.toHaveProperty("answeredBy");
  });

  test("the caller's own vector is always answered", async () => {
    const [{ vector }] = await encoder.encode(["zzzzqqq"], "query");
    for (const query of [
      { vector: vector! },
      { text: "zzzzqqq", vector: vector! },
      { text: "", vector: vector! },
    ]) {
      expect((await index.search(query)).hits).toHaveLength(DOCUMENTS.length);
    }
  });

  test("another weight of the semantic part changes scores, not who is found", async () => {
    expect(ids(await index.search("heart attack", { lambda: 0.1 }))).toEqual(
      ids(await index.search("heart attack")),
    );
    expect((await index.search("zzzzqqq", { lambda: 100 })).hits).toEqual([]);
  });

  test("many queries at once get what each gets alone", async () => {
    const answers = await index.searchAll(["heart attack", "", "the", "aspirin"], { k: 1 });
    expect(answers.map(ids)).toEqual([["heart"], [], [], ["heart"]]);
  });
});

describe("minScore", () => {
  const query = "a lock for boats on the water, and patients with insomnia";
  let all: readonly { id: string; score: number }[];
  beforeAll(async () => {
    all = (await index.search(query)).hits;
    expect(all).toHaveLength(DOCUMENTS.length);
  });

  test("leaves out hits that score less, in every plan", async () => {
    for (const kind of ["auto", "exact", "inner-product"] as const) {
      const { hits } = await index.search(query, { plan: { kind }, minScore: all[1].score });
      expect(ids({ hits })).toEqual(ids({ hits: all.slice(0, 2) }));
    }
    const plan = { kind: "pruned", theta: 0.5 } as const;
    expect(ids(await index.search(query, { plan, minScore: all[2].score }))).toEqual(
      ids({ hits: all.slice(0, 3) }),
    );
    expect((await index.search(query, { minScore: 1e9 })).hits).toEqual([]);
    expect((await index.search(query, { minScore: -1e9 })).hits).toHaveLength(DOCUMENTS.length);
  });

  test("offset and k count among those that remain", async () => {
    const minScore = all[2].score;
    expect(ids(await index.search(query, { minScore, offset: 1, k: 5 }))).toEqual([all[1].id, all[2].id]);
    expect(ids(await index.search(query, { minScore, k: 1 }))).toEqual([all[0].id]);
    expect(ids(await index.search(query, { minScore, offset: 3 }))).toEqual([]);
  });

  test("in a page, over HTTP, on the command line and for models", async () => {
    const minScore = (all[0].score + all[1].score) / 2;
    const best = [all[0].id];
    expect(ids(await reader.search(query, { minScore }))).toEqual(best);
    expect(ids(await asked(`search?query=${encodeURIComponent(query)}&minScore=${minScore}`))).toEqual(best);
    expect(ids(await asked("search", posted({ query, minScore })))).toEqual(best);
    const { answers } = await asked("search-all", posted({ queries: [query], minScore }));
    expect(ids(answers[0])).toEqual(best);
    const { out } = await commandLine(["search", folder, query, "--min-score", String(minScore), "--json"]);
    expect(ids(JSON.parse(out))).toEqual(best);
    expect(ids(await searchBy({ query, minScore }))).toEqual(best);
    expect(ids(await searchBy({ query }, { minScore }))).toEqual(best);
    expect(ids(await searchBy({ query, minScore: 0 }, { minScore }))).toEqual(best);
    expect(searchInput().safeParse({ query, minScore: "5" }).success).toBe(false);
  });
});
