// The counts beside filters say what they count: all matches by words, the best results by meaning, and beside a filtered field
// those without its filter.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Sluice } from "../../src/index.ts";
import { barriers, noBrowser, picture, Visitor } from "./visit.ts";

vi.setConfig({ testTimeout: 300_000 }); // waits for Chromium

if (noBrowser) console.warn(`counts of the page are not tested: ${noBrowser}`);

const SOON = { timeout: 20_000 };
/** More than the page can show. */
const DOCUMENTS = Array.from({ length: 900 }, (_, i) => ({
  id: `${i}`,
  text: `A lock of canal ${i} raises boats`,
  kind: i % 3 === 0 ? "lock" : "weir",
  place: i % 2 === 0 ? "north" : "south",
}));

describe.skipIf(noBrowser)("the counts beside filters", () => {
  let visitor: Visitor;
  beforeAll(async () => {
    const words = await Sluice.build(DOCUMENTS, { encoder: "none" });
    const meaning = await Sluice.build(DOCUMENTS);
    visitor = await Visitor.to({ words, meaning });
  }, 120_000);
  afterAll(() => visitor?.close());

  test("by meaning, they are of the best, and of the best without its filter beside a filtered field", async () => {
    const { page, complaints } = await visitor.open("/?index=meaning&query=lock");
    const notes = page.locator(".filters .counted");
    await expect.poll(() => notes.allTextContents(), SOON).toEqual(["Counted among the best 200 results."]);
    await page.getByRole("checkbox", { name: /lock/ }).click();
    await expect
      .poll(() => notes.allTextContents(), SOON)
      .toEqual([
        "Counted among the best 200 results.",
        "Counted among the best 200 results without this filter.",
      ]);
    const filtered = page.locator("fieldset", { has: page.getByText("kind", { exact: true }) });
    expect(await filtered.locator(".counted").count()).toBe(1);
    expect(await barriers(page)).toEqual([]);
    await picture(page, "counts-by-meaning");
    expect(complaints).toEqual([]);
  });

  test("more results than the page shows are said to be more", async () => {
    const { page } = await visitor.open("/?index=words&query=lock&k=190");
    await page.getByRole("button", { name: "More results" }).click();
    await page.getByText("The first 200 are shown.").waitFor(SOON);
    expect(await page.locator("[data-hit]").count()).toBe(200);
    expect(await page.getByRole("button", { name: "More results" }).count()).toBe(0);
    // By meaning only the best 200 are counted, and all of them are shown.
    await page.goto(`${visitor.url}/?index=meaning&query=lock&k=200`);
    await expect.poll(() => page.locator("[data-hit]").count(), SOON).toBe(200);
    expect(await page.getByText("The first 200 are shown.").count()).toBe(0);
  });

  test("by words, they are of all matches", async () => {
    const { page } = await visitor.open('/?index=words&query=lock&filter={"kind":{"in":["lock"]}}');
    const counts = page.locator(".filters .choice .quiet");
    await expect.poll(() => counts.allTextContents(), SOON).toEqual(["600", "300", "150", "150"]);
    expect(await page.locator(".filters .counted").count()).toBe(0);
  });
});
