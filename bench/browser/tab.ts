// Asks the same queries in a tab of Chromium and in Node, and times both.

import type { Browser, Page } from "playwright-core";
import type { Sluice } from "../../src/index.ts";
import { percentiles } from "../../src/lab/index.ts";
import type { Answers, BenchPage } from "./page.ts";

export type BenchHits = Answers["hits"][number];

/** Hits per query. */
export const K = 10;

export const median = (ms: readonly number[]) => percentiles(ms).p50.toFixed(2);

interface OpenTab {
  readonly page: Page;
  /** Milliseconds until the first search was possible. */
  readonly ms: number;
  /** Addresses of what the page and its worker asked for, up to now. */
  readonly loaded: ReadonlySet<string>;
}

/** Opens an exported index in a new tab with empty caches. */
export async function openTab(tabs: Browser, url: string, folder: string): Promise<OpenTab> {
  const page = await (await tabs.newContext()).newPage();
  const loaded = new Set<string>();
  page.on("request", (request) => loaded.add(request.url()));
  await page.goto(url);
  await page.waitForFunction("globalThis.bench");
  const ms = await page.evaluate(
    (folder) => (globalThis as unknown as { bench: BenchPage }).bench.open(folder),
    folder,
  );
  return { page, ms, loaded };
}

export function askInTab(page: Page, texts: readonly string[]): Promise<Answers> {
  return page.evaluate(([texts, k]) => (globalThis as unknown as { bench: BenchPage }).bench.ask(texts, k), [
    texts,
    K,
  ] as const);
}

export async function askInNode(index: Sluice, texts: readonly string[]): Promise<Answers> {
  const answers: Answers = { whole: [], searching: [], hits: [] };
  for (const text of texts) {
    const started = performance.now();
    const { hits, stats } = await index.search(text, { k: K });
    for (const hit of hits) hit.document; // a document is read on access
    answers.whole.push(performance.now() - started);
    answers.searching.push(stats.firstStageMs + stats.secondStageMs);
    answers.hits.push(hits.map(({ id, score, semantic }) => ({ id, score, semantic })));
  }
  return answers;
}
