// "Why this result" explains the score of the hit, whatever was typed: the parts add up to the score that the search gave.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Sluice } from "../../src/index.ts";
import { noBrowser, Visitor } from "./visit.ts";

vi.setConfig({ testTimeout: 300_000 }); // waits for Chromium

if (noBrowser) console.warn(`explanations of the page are not tested: ${noBrowser}`);

const SOON = { timeout: 20_000 };
const DOCUMENTS = [
  {
    id: "lock",
    title: "Canal lock",
    text: "A lock raises boats between two levels of a canal",
    kind: "work",
  },
  { id: "york", title: "York", text: "The canal of York has a lock, too", kind: "place" },
  { id: "cafe", title: "The lock", text: "A cafe at the canal, at the lower lock", kind: "place" },
  { id: "candle", title: "Candle", text: "A candle gives light to a lock", kind: "work" },
];

interface Asked {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly scores: ReadonlyMap<string, number>;
}

/** Each request of a page that has scores in its answer. */
async function recorded(page: Awaited<ReturnType<Visitor["open"]>>["page"]): Promise<Asked[]> {
  const asked: Asked[] = [];
  page.on("response", async (response) => {
    const path = new URL(response.url()).pathname;
    if (!/\/(?:search|explain|explain-query)$/.test(path) || !response.ok()) return;
    const answer = (await response.json().catch(() => undefined)) as
      | { hits?: { id: string; score: number }[] }
      | undefined;
    const scores = new Map((answer?.hits ?? []).map(({ id, score }) => [id, score]));
    asked.push({ path: path.split("/").at(-1)!, body: response.request().postDataJSON(), scores });
  });
  return asked;
}

describe.skipIf(noBrowser)("the reasons of a score", () => {
  let visitor: Visitor;
  beforeAll(async () => {
    const words = await Sluice.build(DOCUMENTS, { encoder: "none" });
    const fields = await Sluice.build(DOCUMENTS, { fieldWeights: { title: 3, text: 1 }, positions: true });
    visitor = await Visitor.to({ words, fields });
  }, 120_000);
  afterAll(() => visitor?.close());

  test.each([
    ["words", "canal -york"],
    ["words", "+lock canal kind:place"],
    ["words", "title:cafe lock"],
    ["words", "can* lock"],
    ["words", "cnal lo"],
    ["fields", "title:lock canal"],
    ["fields", '"lower lock" canal'],
    ["fields", "title:can* -york"],
    ["fields", "canal of york"],
  ])("of %s add up to that of the hit: %s", async (index, query) => {
    const { page, complaints } = await visitor.open("/docs");
    const asked = await recorded(page);
    await page.goto(`${visitor.url}/?${new URLSearchParams({ index, query })}`);
    const first = page.locator("[data-hit]").first();
    await first.waitFor(SOON);
    const id = (await first.getAttribute("data-hit"))!;
    await page.getByRole("link", { name: "Why this result" }).first().click();
    const total = page.locator("table.sum tfoot .number");
    await total.waitFor(SOON);
    const score = asked.find(({ path, scores }) => path === "search" && scores.has(id))!.scores.get(id)!;
    expect(Number(await total.textContent())).toBeCloseTo(score, 2);
    const parts = await page.locator("table.sum tbody td.number:nth-last-of-type(2)").allTextContents();
    const sum = parts.reduce((all, part) => all + Number(part.replace("−", "-")), 0);
    expect(Math.abs(sum - score)).toBeLessThan(0.006 * (parts.length + 1)); // each is rounded
    expect(complaints).toEqual([]);
  });

  test("the playground reads operators in each of its requests", async () => {
    const { page } = await visitor.open("/docs");
    const asked = await recorded(page);
    await page.goto(
      `${visitor.url}/playground?${new URLSearchParams({ index: "words", query: "canal -york" })}`,
    );
    const hit = page.locator(".rankings ol a").first();
    await hit.waitFor(SOON);
    await hit.click();
    await page.locator("dialog table.sum tfoot").waitFor(SOON);
    await page.locator(".tradeoff[aria-busy=false]").waitFor(SOON);
    expect(new Set(asked.map(({ path }) => path))).toEqual(new Set(["search", "explain", "explain-query"]));
    for (const { body } of asked) expect(body).toMatchObject({ query: "canal -york", syntax: true });
  });
});
