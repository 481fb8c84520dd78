// Documents with lists of objects and lists inside lists, through the whole library: filters, facets, fields, sort, boosts, groups,
// text fields and highlights reach into them, in memory, in a folder and in an export.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SluiceReader } from "../../src/browser/reader.ts";
import { type Searchable, type SearchOptions, Sluice } from "../../src/index.ts";
import { folderFetch } from "../browser/folder-fetch.ts";

const documents = [
  { id: "1", text: "canal", v: ["a", { x: 1 }], people: [{ name: "Ada", born: 1815 }, { name: "Bo" }] },
  { id: "2", text: "canal", v: ["a", [5]], people: [[{ name: "Cy", born: 1900 }]] },
  { id: "3", text: "canal", v: [{ x: "a" }], people: { name: "Bo", born: 1850 } },
];

test("filters, facets, fields, sort and boosts reach into lists of objects", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-lists-"));
  const memory = await Sluice.build(documents, { encoder: "none" });
  await memory.save(join(folder, "index"));
  await memory.exportWeb(join(folder, "site"));
  const stored = await Sluice.open(join(folder, "index"), { readOnly: true });
  const reader = await SluiceReader.open("http://site/site/", { fetch: folderFetch(folder) });
  const searchers: Searchable[] = [memory, stored, reader];
  for (const index of searchers) {
    const ids = async (options: SearchOptions) =>
      (await index.search("canal", options)).hits.map(({ id }) => id).join();
    expect(await ids({ filter: { v: "a" } })).toBe("1,2");
    expect(await ids({ filter: { v: { exists: true } } })).toBe("1,2");
    expect(await ids({ filter: { v: 5 } })).toBe("2");
    expect(await ids({ filter: { "v.x": "a" } })).toBe("3");
    expect(await ids({ filter: { "people.name": "Bo" } })).toBe("1,3");
    expect(await ids({ sort: { field: "people.born", order: "desc" } })).toBe("2,3,1");
    expect(await ids({ boosts: [{ field: "people.born", weight: -1 }] })).toBe("1,3,2");
    const { facets } = await index.search("canal", { facets: [{ field: "people.name" }] });
    expect(facets![0].values).toEqual([
      { value: "Bo", docs: 2 },
      { value: "Ada", docs: 1 },
      { value: "Cy", docs: 1 },
    ]);
  }
  const fields = await memory.fields();
  expect(fields.map(({ name }) => name).sort()).toEqual(["people.born", "people.name", "v", "v.x"]);
  for (const index of searchers) await index.close();
});

test("text fields and highlights reach into lists of objects", async () => {
  const index = await Sluice.build<{ id: string; a: unknown }>(
    [
      { id: "1", a: [{ n: "apple" }, { n: ["pear", ["plum"]] }, "kiwi"] },
      { id: "2", a: { n: "apple pear" } },
      { id: "3", a: [[{ n: "fig" }], { m: "apple" }] },
    ],
    { encoder: "none", fieldWeights: { "a.n": 1 } },
  );
  const ids = async (query: string) => (await index.search(query)).hits.map(({ id }) => id).sort();
  expect(await ids("apple")).toEqual(["1", "2"]);
  expect([await ids("plum"), await ids("fig"), await ids("kiwi")]).toEqual([["1"], ["3"], []]);
  const { hits } = await index.search("plum", { snippets: true });
  expect(hits[0].snippets).toEqual([{ field: "a.n", text: "apple pear plum", from: 0, marks: [[11, 15]] }]);
  await expect(index.add([{ id: "4", a: [{ n: "fig" }, { n: 5 }] }])).rejects.toThrow(
    '"a.n" is a list with 5, expected a text or a list of texts',
  );
  await index.close();
});
