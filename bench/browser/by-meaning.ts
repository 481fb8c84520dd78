// Part of the bench `browser`: a page searches 50,000 definitions by words and meaning. It loads files, a worker and our own
// WebAssembly, and nothing else. Every hit and every score is compared with Node's.

import { join } from "node:path";
import type { Browser } from "playwright-core";
import { definitions } from "../../demo/wordnet.ts";
import { Sluice } from "../../src/index.ts";
import { formatTable } from "../../src/lab/index.ts";
import { askInNode, askInTab, type BenchHits, median, openTab } from "./tab.ts";

const DOCS = 50_000;
const QUERIES = 200;
/** Words of a query. */
const WORDS = 8;

export const MEANING_ABOUT =
  `Then ${DOCS.toLocaleString("en")} of the definitions with the encoder static, which the export brings along: the page encodes ` +
  `${QUERIES} queries itself (the first ${WORDS} words of definitions that are not in the index). Their hits and scores are compared with Node's, one by one.`;

export async function measureByMeaning(
  site: string,
  tabs: Browser,
  url: string,
  print: (text: string) => void,
): Promise<void> {
  const all = [...definitions()];
  const started = performance.now();
  const index = await Sluice.build(all.slice(0, DOCS), { encoder: "static" });
  const built = performance.now();
  const { files, bytes } = await index.exportWeb(join(site, "meaning"));
  print(
    `\n${DOCS.toLocaleString("en")} definitions with static: built in ${seconds(built - started)} s, exported in ` +
      `${seconds(performance.now() - built)} s: ${files} files, ${(bytes / 2 ** 20).toFixed(1)} MiB`,
  );
  const others = all.slice(DOCS);
  const texts = Array.from({ length: QUERIES }, (_, i) =>
    others[Math.floor((i * others.length) / QUERIES)].text.split(" ").slice(0, WORDS).join(" "),
  );
  const { page, ms, loaded } = await openTab(tabs, url, "/meaning/");
  const first = await askInTab(page, texts);
  const tab = await askInTab(page, texts);
  await askInNode(index, texts);
  const node = await askInNode(index, texts);
  const foreign = [...loaded].filter((address) => !address.startsWith(url));
  print(
    `\nopened in ${ms.toFixed(0)} ms; the page asked for ${loaded.size} files, ${foreign.length} of them from elsewhere`,
  );
  const rows = [
    ["tab, worker, first round", median(first.searching), median(first.whole)],
    ["tab, worker", median(tab.searching), median(tab.whole)],
    ["Node", median(node.searching), median(node.whole)],
  ];
  print(`\n${formatTable(["by words and meaning", "searching, ms", "whole, ms"], rows)}`);
  const same = texts.filter(
    (_, i) => areSame(tab.hits[i], node.hits[i]) && areSame(first.hits[i], node.hits[i]),
  );
  const byMeaning = node.hits.filter((hits) => hits.some(({ semantic }) => semantic !== 0));
  print(
    `\n${same.length === QUERIES && foreign.length === 0 ? "met" : "missed"}: ${same.length} of ${QUERIES} queries have the same ` +
      `hits and scores in the page as in Node; meaning counts in ${byMeaning.length} of them`,
  );
  await page.close();
  await index.close();
}

const seconds = (ms: number) => (ms / 1000).toFixed(1);

function areSame(some: BenchHits, others: BenchHits): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}
