// Adapters that only search take every `Searchable`: what the index says, the reader of a page says, too.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { searchTool } from "../src/ai/index.ts";
import { SluiceReader } from "../src/browser/reader.ts";
import { type Searchable, Sluice } from "../src/index.ts";
import { SluiceRetriever } from "../src/langchain/index.ts";
import { runExplain } from "../src/tools/explain-tool.ts";
import { runGet } from "../src/tools/get-tool.ts";
import { searchInput } from "../src/tools/search-tool.ts";
import { folderFetch } from "./browser/folder-fetch.ts";

let index: Sluice;
let reader: SluiceReader;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-adapters-"));
  index = await Sluice.build([
    { id: "gate", title: "Sluice", text: "A gate that controls water", year: 1600 },
    { id: "lock", title: "Lock", text: "A chamber that raises boats", year: 1500 },
  ]);
  await index.exportWeb(folder);
  reader = await SluiceReader.open("http://localhost/", { fetch: folderFetch(folder) });
});
afterAll(() => Promise.all([index.close(), reader.close()]));

const ADAPTERS: readonly [string, (searched: Searchable) => Promise<unknown>][] = [
  [
    "the tool of the AI SDK",
    async (searched) =>
      searchTool(searched, { filter: { year: { gte: 1600 } } }).execute!(
        searchInput().parse({ query: "controls water" }),
        {} as never,
      ),
  ],
  ["the tool that explains", (searched) => runExplain(searched, { query: "water", id: "gate" })],
  ["the tool that gets", (searched) => runGet(searched, { id: "gate" })],
  [
    "the retriever of LangChain",
    (searched) =>
      new SluiceRetriever({ index: searched, k: 1, withScores: true, typos: true }).invoke("contrls water"),
  ],
];

describe.each(ADAPTERS)("%s", (_name, ask) => {
  test("answers from a page's reader as from the index", async () => {
    const found = await ask(index);
    expect(JSON.stringify(found)).toContain("gate");
    expect(await ask(reader)).toEqual(found);
  });
});

test("a filter by a field that was not exported is an error, not a document that it would exclude", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-adapters-few-"));
  await index.exportWeb(folder, { keepFields: ["title"] });
  const few = await SluiceReader.open("http://localhost/", { fetch: folderFetch(folder) });
  const filter = { year: { ne: 1600 } };
  await expect(runGet(index, { id: "gate" }, { filter })).rejects.toThrow("no document has the id");
  await expect(runGet(few, { id: "gate" }, { filter })).rejects.toThrow("year");
  expect(await runGet(few, { id: "gate" })).toMatchObject({ title: "Sluice" });
  await few.close();
});
