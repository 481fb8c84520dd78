// Searches fifty thousand definitions in a browser, with only a file server behind it. Hits, scores and explanations are the
// same as in Node, to the last bit.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { buildPage } from "../../demo/page-build.ts";
import { definitions } from "../../demo/wordnet.ts";
import { type Document, type Query, type SearchOptions, Sluice } from "../../src/index.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { newPage, noChromium } from "./chromium.ts";
import { madeUpDocuments, questions as madeUpQuestions } from "./corpus.ts";
import { Tab } from "./tab.ts";

vi.setConfig({ testTimeout: 300_000 }); // waits for Chromium

const missing = noChromium();
if (missing) console.warn(`Searching in a tab is not tested: ${missing}`);

const DOCS = 50_000;
const DIMS = 16;

/** WordNet's definitions, each with a made-up vector. The vectors need no meaning; both sides must only see the same ones. */
function* documents(): Generator<Document> {
  const random = mulberry32(5);
  let count = 0;
  for (const definition of definitions()) {
    if (count++ === DOCS) return;
    yield { ...definition, vector: vectorOf(random) };
  }
}

function vectorOf(random: () => number): number[] {
  return Array.from({ length: DIMS }, (_, d) => (random() - 0.5) / (1 + d));
}

interface Question {
  readonly query: Query;
  readonly options: SearchOptions;
}

/** Queries made of shortened definitions: with and without a vector, with filters, pages and plans. */
function questions(): Question[] {
  const random = mulberry32(6);
  const texts = [...definitions()].slice(DOCS).filter((_, i) => i % 1100 === 0);
  const options: SearchOptions[] = [
    { plan: { kind: "exact" } },
    { k: 50, plan: { kind: "exact" } },
    { k: 10, offset: 40, plan: { kind: "exact" } },
    { filter: { kind: "noun" } },
    { k: 20, filter: { not: { words: { in: ["be", "have"] } } } },
    { plan: { kind: "pruned", mass: 0.6, candidates: 200 } },
  ];
  return texts.map(({ text }, i) => {
    const words = text
      .split(" ")
      .slice(0, 2 + (i % 8))
      .join(" ");
    const isHybrid = i % 2 === 1;
    return {
      query: isHybrid ? { text: words, vector: vectorOf(random) } : words,
      options: { ...options[i % options.length], lambda: isHybrid ? 4 : 0 },
    };
  });
}

async function answersOf(index: Sluice, asked: readonly Question[]) {
  const answers = [];
  for (const { query, options } of asked) {
    const { hits, terms, stats } = await index.search(query, options);
    const { lambda = 1 } = options;
    const why = hits.length > 0 ? await index.explain(query, hits[0].id, { lambda }) : null;
    answers.push({
      hits: hits.map((hit) => ({ ...hit, document: hit.document })),
      terms,
      why,
      exact: stats.exact,
    });
  }
  return answers;
}

describe.skipIf(missing)("in a tab", () => {
  const site = mkdtempSync(join(tmpdir(), "sluice-tab-"));
  const root = fileURLToPath(new URL("../..", import.meta.url));
  let [index, small, tab, page, url]: [Sluice, Sluice, Tab, Page, string] = [] as never;
  const requests: string[] = [];
  const asked = questions();
  let there: Awaited<ReturnType<typeof answersOf>>;

  beforeAll(async () => {
    index = await Sluice.build(documents(), { encoder: "none" });
    expect(index.docs).toBe(DOCS);
    await index.exportWeb(join(site, "index"));
    there = await answersOf(index, asked);
    expect(there.filter(({ hits }) => hits.length > 5).length).toBeGreaterThan(40);
    small = await Sluice.build(madeUpDocuments(1000), { encoder: "none", dims: 32 });
    await small.exportWeb(join(site, "small"));
    await buildPage(root, site);
    tab = await Tab.open(site, (url) => requests.push(url));
    ({ page, url } = tab);
  }, 300_000);

  afterAll(async () => {
    await tab?.close();
    rmSync(site, { recursive: true, force: true });
  });

  for (const where of ["page", "worker"] as const) {
    test(`50,000 documents answer as in Node, in the ${where === "page" ? "page's thread" : "worker"}`, async () => {
      const opened = await tab.call("open", where, "/index/", "wasm");
      expect(opened).toEqual({ docs: DOCS, kernel: "wasm", progress: 1 });
      const here = await tab.call("ask", asked);
      for (const [i, expected] of there.entries()) {
        expect(here[i], JSON.stringify(asked[i])).toEqual({ ...expected, kernel: "wasm" });
      }
    });
  }

  test("WebGPU in a worker answers as the CPU does in Node", async () => {
    const opened = await tab.call("open", "worker", "/small/", "webgpu");
    expect(opened).toEqual({ docs: 1000, kernel: "webgpu", progress: 1 });
    const asked = madeUpQuestions(14);
    const [there, here] = [await answersOf(small, asked), await tab.call("ask", asked)];
    let [onDevice, compared] = [0, 0];
    for (const [i, expected] of there.entries()) {
      const { kernel, ...found } = here[i] as { kernel: string; exact: boolean };
      if (kernel === "webgpu") onDevice++;
      if (!expected.exact || !found.exact) continue;
      compared++;
      expect(found, JSON.stringify(asked[i])).toEqual(expected);
    }
    expect(onDevice).toBe(asked.length);
    expect(compared).toBeGreaterThan(9);
  });

  test("nothing is asked of anyone but the file server", () => {
    expect(requests.length).toBeGreaterThan(20);
    for (const request of requests)
      expect(request.startsWith(url) || request.startsWith("data:"), request).toBe(true);
  });

  test("what is missing, damaged or out of reach is said in words", async () => {
    expect(await tab.call("open", "worker", "/nowhere", "wasm")).toEqual({
      problem: `${url}nowhere/manifest.json: not found (404)`,
      hint: "write the index with exportWeb, and give the URL of its folder",
    });
    cpSync(join(site, "small"), join(site, "damaged"), { recursive: true });
    const [terms] = readdirSync(join(site, "damaged/parts")).filter((name) => name.startsWith("terms."));
    const file = join(site, "damaged/parts", terms);
    const bytes = readFileSync(file);
    bytes[100] ^= 1;
    writeFileSync(file, bytes);
    expect(await tab.call("open", "page", "/damaged", "wasm")).toMatchObject({
      problem: `${url}damaged/parts/${terms}: the file is damaged: it does not match its checksum`,
    });
    writeFileSync(file, bytes.subarray(0, 50));
    expect(await tab.call("open", "worker", "/damaged", "wasm")).toMatchObject({
      problem: expect.stringMatching(/it has 50 bytes, expected \d+$/),
    });

    // At another address: earlier files are in the browser's cache, and would work offline, too.
    cpSync(join(site, "small"), join(site, "elsewhere"), { recursive: true });
    await tab.call("open", "page", "/elsewhere/", "wasm");
    await page.context().setOffline(true);
    const [{ error }] = (await tab.call("ask", [madeUpQuestions(1)[0]])) as [{ error: string }];
    expect(error).toContain("cannot be reached: Failed to fetch");
    await page.context().setOffline(false);
    const [{ hits }] = (await tab.call("ask", [madeUpQuestions(1)[0]])) as [{ hits: unknown[] }];
    expect(hits.length).toBeGreaterThan(0);
  });

  test("the demo's page finds the word, and says why", async () => {
    const demo = await newPage(page.context().browser()!);
    const problems: string[] = [];
    demo.on("pageerror", (error) => problems.push(error.message));
    demo.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await demo.goto(url);
    await demo.getByRole("searchbox").fill("a gate that controls the flow of water");
    const question = "a gate that controls the flow of water";
    const { hits } = await index.search(question, { k: 20, lambda: 0, plan: { kind: "exact" } });
    const first = demo.getByRole("listitem").first();
    const { words } = hits[0].document as { words: string[] };
    await first.getByText(words.join(", ")).waitFor();
    expect(await demo.getByRole("listitem").count()).toBe(20);
    expect(await first.locator(".score").textContent()).toBe(hits[0].score.toFixed(2));
    expect(await demo.getByRole("status").textContent()).toMatch(/^The best 20 of 50,000 in [\d.]+ ms/);
    await first.locator("summary").click();
    await first.getByRole("table").waitFor();
    const { matched } = await index.explain(question, hits[0].id, { lambda: 0 });
    expect(await first.getByRole("cell").first().textContent()).toBe(matched[0].term);

    await demo.getByLabel("Kind of word").selectOption("verb");
    await demo
      .getByText("Nothing matches.")
      .or(demo.locator(".kind", { hasText: "verb" }))
      .first()
      .waitFor();
    await demo.getByRole("searchbox").fill("");
    await expect.poll(() => demo.getByRole("listitem").count()).toBe(0);
    expect(await demo.locator("footer").textContent()).toContain("Kernel: wasm");
    expect(problems).toEqual([]);
    await demo.close();
  });
});
