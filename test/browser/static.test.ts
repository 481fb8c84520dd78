// A static encoder gives the same bits in Chromium as in Node: hits and scores of texts are equal, in a page and in a worker.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveFolder } from "../../demo/static-server.ts";
import { definitions } from "../../demo/wordnet.ts";
import { Sluice } from "../../src/index.ts";
import { launch, newPage, noChromium } from "./chromium.ts";
import type { PageApi } from "./reader-page.ts";

const missing = noChromium();
if (missing) console.warn(`The static encoder is not tested in a tab: ${missing}`);

const DOCS = 2000;

describe.skipIf(missing)("in a tab, by meaning", () => {
  const site = mkdtempSync(join(tmpdir(), "sluice-static-tab-"));
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const all = [...definitions()];
  const asked = all
    .slice(DOCS)
    .filter((_, i) => i % 4000 === 0)
    .map(({ text }) => ({ query: text, options: { plan: { kind: "exact" } as const, lambda: 10 } }));
  let [index, server, browser, page]: [Sluice, Server, Browser, Page] = [] as never;

  beforeAll(async () => {
    index = await Sluice.build(all.slice(0, DOCS), { encoder: "static:128" });
    await index.exportWeb(join(site, "index"));
    await build({
      configFile: false,
      root,
      base: "/test/",
      logLevel: "error",
      worker: { format: "es" },
      build: {
        outDir: join(site, "test"),
        target: "esnext",
        rollupOptions: {
          input: fileURLToPath(new URL("reader-page.ts", import.meta.url)),
          output: { entryFileNames: "page.js" },
        },
      },
    });
    writeFileSync(
      join(site, "test.html"),
      '<!doctype html><script type="module" src="/test/page.js"></script>',
    );
    const served = await serveFolder(site);
    server = served.server;
    browser = await launch();
    page = await newPage(browser);
    await page.goto(`${served.url}test.html`);
    await page.waitForFunction("globalThis.sluice");
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(site, { recursive: true, force: true });
  });

  const call = <Name extends keyof PageApi>(name: Name, ...args: Parameters<PageApi[Name]>) =>
    page.evaluate(
      ({ name, args }) =>
        (globalThis as unknown as { sluice: Record<string, (...args: unknown[]) => unknown> }).sluice[name](
          ...args,
        ),
      { name, args } as { name: string; args: unknown[] },
    ) as ReturnType<PageApi[Name]>;

  test.each(["page", "worker"] as const)("texts get the same hits and scores, %s", async (where) => {
    expect(await call("open", where, "/index/", "wasm")).toMatchObject({ size: DOCS });
    const here = (await call("ask", asked)) as { hits: { id: string; score: number }[] }[];
    for (const [i, { query, options }] of asked.entries()) {
      const { hits, stats } = await index.search(query, options);
      // A query without a known word has no hits unless its meaning stands out.
      if (stats.answeredBy === undefined) expect(hits.some(({ semantic }) => semantic > 0)).toBe(true);
      expect(here[i].hits.map(({ id, score }) => ({ id, score }))).toEqual(
        hits.map(({ id, score }) => ({ id, score })),
      );
    }
  });
});
