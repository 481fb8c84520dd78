// A static encoder gives the same bits in Chromium as in Node: hits and scores of texts are equal, in a page and in a worker.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { definitions } from "../../demo/wordnet.ts";
import { Sluice } from "../../src/index.ts";
import { noChromium } from "./chromium.ts";
import { Tab } from "./tab.ts";

const missing = noChromium();
if (missing) console.warn(`The static encoder is not tested in a tab: ${missing}`);

const DOCS = 2000;

describe.skipIf(missing)("in a tab, by meaning", () => {
  const site = mkdtempSync(join(tmpdir(), "sluice-static-tab-"));
  const all = [...definitions()];
  const asked = all
    .slice(DOCS)
    .filter((_, i) => i % 4000 === 0)
    .map(({ text }) => ({ query: text, options: { plan: { kind: "exact" } as const, lambda: 10 } }));
  let [index, tab]: [Sluice, Tab] = [] as never;

  beforeAll(async () => {
    index = await Sluice.build(all.slice(0, DOCS), { encoder: "static:128" });
    await index.exportWeb(join(site, "index"));
    tab = await Tab.open(site);
  }, 300_000);

  afterAll(async () => {
    await tab?.close();
    rmSync(site, { recursive: true, force: true });
  });

  test.each(["page", "worker"] as const)("texts get the same hits and scores, %s", async (where) => {
    expect(await tab.call("open", where, "/index/", "wasm")).toMatchObject({ docs: DOCS });
    const here = (await tab.call("ask", asked)) as { hits: { id: string; score: number }[] }[];
    let byWords = 0;
    for (const [i, { query, options }] of asked.entries()) {
      const { hits, stats } = await index.search(query, options);
      // A query without a known word has no hits unless its meaning stands out.
      if (stats.answeredBy === undefined) {
        expect(hits.some(({ semantic }) => semantic > 0)).toBe(true);
        byWords++;
      }
      expect(here[i].hits.map(({ id, score }) => ({ id, score }))).toEqual(
        hits.map(({ id, score }) => ({ id, score })),
      );
    }
    expect(byWords).toBeGreaterThan(0);
  });
});
