// An export of an index with a static encoder brings the encoder along: a page encodes its queries by itself.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { folderFetch } from "../../test/browser/folder-fetch.ts";
import { Sluice } from "../index.ts";
import { SluiceReader } from "./reader.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-static-reader-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const DOCUMENTS = [
  { id: "insomnia", text: "Insomnia means lying awake for hours although you are tired" },
  { id: "infarction", text: "Myocardial infarction is treated by opening the blocked artery" },
  { id: "lock", text: "A lock raises and lowers boats between two levels of a canal" },
];
const QUERIES = ["unable to sleep at night", "heart attack", "boats", "አማርኛ", "sleep አማርኛ"];

test("queries get the same hits and scores as in Node, and the encoder is fetched with the first text", async () => {
  const index = await Sluice.build(DOCUMENTS, { encoder: "static:128" });
  await index.exportWeb(join(root, "index"));
  const asked: string[] = [];
  const fetch = folderFetch(join(root, "index"), "/index/");
  const reader = await SluiceReader.open("https://example.org/index", {
    fetch: (input, init) => {
      asked.push(String(input));
      return fetch(input, init);
    },
  });
  const parts = () => asked.filter((url) => url.includes("/encoder."));
  expect((await reader.search("boats", { lambda: 0 })).hits[0].id).toBe("lock");
  expect(parts()).toEqual([]);
  for (const query of QUERIES) {
    const [here, there] = [await reader.search(query), await index.search(query)];
    const scores = ({ hits }: typeof here) =>
      hits.map(({ id, score, semantic }) => ({ id, score, semantic }));
    expect(scores(here), query).toEqual(scores(there));
  }
  expect(parts().length).toBe(2);
  await reader.close();
  await index.close();
});

test("searches that begin together share one encoder", async () => {
  const index = await Sluice.build(DOCUMENTS, { encoder: "static:64" });
  await index.exportWeb(join(root, "together"));
  const asked: string[] = [];
  const fetch = folderFetch(join(root, "together"), "/index/");
  // The table comes after the other part of the encoder.
  let otherIsThere = () => {};
  const other = new Promise<void>((resolve) => {
    otherIsThere = resolve;
  });
  const reader = await SluiceReader.open("https://example.org/index", {
    fetch: async (input, init) => {
      asked.push(String(input));
      if (String(input).includes("/encoder.table")) await other;
      const answer = await fetch(input, init);
      if (/\/encoder\.(?!table)/.test(String(input))) otherIsThere();
      return answer;
    },
  });
  const answers = await Promise.all(QUERIES.map((query) => reader.search(query)));
  const there = await index.searchAll(QUERIES);
  expect(answers.map(({ hits }) => hits[0]?.id)).toEqual(there.map(({ hits }) => hits[0]?.id));
  expect(asked.filter((url) => url.includes("/encoder.")).length).toBe(2);
  await reader.close();
  await index.close();
});

test("a damaged encoder is named", async () => {
  const index = await Sluice.build(DOCUMENTS, { encoder: "static:64" });
  await index.exportWeb(join(root, "damaged"));
  await index.close();
  const parts = join(root, "damaged", "parts");
  const [name] = readdirSync(parts).filter((name) => name.startsWith("encoder.table"));
  const bytes = readFileSync(join(parts, name));
  bytes[1000] ^= 1;
  writeFileSync(join(parts, name), bytes);
  const reader = await SluiceReader.open("https://example.org/index", {
    fetch: folderFetch(join(root, "damaged"), "/index/"),
  });
  await expect(reader.search("boats")).rejects.toThrow(`${name}: the file is damaged`);
  expect((await reader.search("boats", { lambda: 0 })).hits[0].id).toBe("lock");
  await reader.close();
});
