// The page while somebody types: completions, corrections, and results for words that are unfinished or misspelled.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Sluice } from "../../src/index.ts";
import { barriers, noBrowser, PHONE, picture, Visitor } from "./visit.ts";

vi.setConfig({ testTimeout: 300_000 }); // waits for Chromium

if (noBrowser) console.warn(`suggestions of the page are not tested: ${noBrowser}`);

const SOON = { timeout: 20_000 };
const DOCUMENTS = [
  {
    id: "lock",
    title: "Lock",
    text: "A lock raises boats between two levels of a canal, every year",
    kind: "yaer",
  },
  { id: "venice", title: "Venice", text: "Venice has canals instead of streets" },
  { id: "candle", title: "Candle", text: "A candle gives light" },
];

describe.skipIf(noBrowser)("the page while somebody types", () => {
  let visitor: Visitor;
  beforeAll(async () => {
    const words = await Sluice.build(DOCUMENTS, { encoder: "none" });
    const weights = await Sluice.build([{ id: "1", weights: { canal: 1 } }], { lexical: "weights" });
    const greek = await Sluice.build([{ id: "1", title: "ωδή", text: "ωδή" }], { encoder: "none" });
    const ten = await Sluice.build(
      Array.from({ length: 10 }, (_, i) => ({ id: `${i}`, title: `Locks ${i}`, text: "locks and canals" })),
    );
    visitor = await Visitor.to({ words, weights, greek, ten });
  }, 120_000);
  afterAll(() => visitor?.close());

  test("finds unfinished words and completes them", async () => {
    const { page, complaints } = await visitor.open("/");
    await page.locator("#query").pressSequentially("boats cana");
    await page.locator('[data-hit="lock"]').waitFor(SOON);
    const completion = page.locator(".suggestions a", { hasText: /^boats canals?/ });
    await completion.waitFor(SOON);
    expect(await page.locator(".hits mark").allTextContents()).toContain("canal");
    await completion.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/query=boats\+canal/, SOON);
    await expect.poll(() => page.locator("#query").inputValue(), SOON).toMatch(/^boats canals?$/);
    expect(await page.evaluate("document.activeElement.id")).toBe("query");
    expect(complaints).toEqual([]);
  });

  test("finds misspelled words, says what was meant, and explains it, on a phone too", async () => {
    const { page, complaints } = await visitor.open("/?query=cnal", PHONE);
    const meant = page.locator(".suggestions", { hasText: "Showing results for" });
    await meant.waitFor(SOON);
    expect(await page.locator("[data-hit]").count()).toBe(2);
    expect(await page.getByText("Did you mean").count()).toBe(0);
    await picture(page, "corrected-phone");
    expect(await barriers(page)).toEqual([]);
    await page.locator('[data-hit="lock"]').click();
    await page.locator("dialog", { hasText: "canal" }).waitFor(SOON);
    await page.keyboard.press("Escape");
    await meant.locator("a").first().click();
    await page.waitForURL(/query=canal/, SOON);
    expect(complaints).toEqual([]);
  });

  test("takes a corrected word as it was typed, if asked to, until the next query", async () => {
    const { page, complaints } = await visitor.open("/?query=cnal");
    await page.getByText("Search instead for").waitFor(SOON);
    await page.locator(".suggestions a", { hasText: /^cnal$/ }).click();
    await page.waitForURL(/typos=false/, SOON);
    await page.locator(".status", { hasText: "No document has cnal." }).waitFor(SOON);
    await page.locator(".suggestions", { hasText: "Did you mean" }).waitFor(SOON);
    await page.locator("#query").fill("cnals");
    await page.getByText("Showing results for").waitFor(SOON);
    expect(page.url()).not.toContain("typos");
    expect(complaints).toEqual([]);
  });

  test("leaves operators and values of fields as they were typed", async () => {
    const { page } = await visitor.open("/?query=kind:yaer+canal");
    await page.locator('[data-hit="lock"]').waitFor(SOON);
    expect(await page.locator(".suggestions", { hasText: /Did you mean|Showing results/ }).count()).toBe(0);
    await page.locator("#query").fill("kind:yaer cnal");
    const meant = page.locator(".suggestions", { hasText: "Showing results for" });
    await meant.locator("a", { hasText: /^kind:yaer canal/ }).waitFor(SOON);
  });

  test("says that the words it counts were corrected", async () => {
    const { page } = await visitor.open("/?index=ten&query=lokcs");
    await page
      .locator(".status", { hasText: /\d+ have words of the corrected query/ })
      .first()
      .waitFor(SOON);
  });

  test("shows a correction of several words whole, and the words as they were typed", async () => {
    const { page } = await visitor.open("/?query=boatts+in+a+canel+zzyzxs");
    await page.locator(".suggestions a", { hasText: "boats in a canal" }).waitFor(SOON);
    await page.locator(".status", { hasText: "No document has zzyzxs." }).waitFor(SOON);
  });

  test("offers no more results if all are shown", async () => {
    const { page } = await visitor.open("/?index=ten&query=locks");
    await page.locator("[data-hit]").nth(9).waitFor(SOON);
    expect(await page.getByRole("button", { name: "More results" }).count()).toBe(0);
  });

  test("shows on a phone how a score adds up, without scrolling sideways", async () => {
    const { page } = await visitor.open("/?index=ten&query=locks+canals&explain=7", PHONE);
    await page.locator("table.sum tfoot").waitFor(SOON);
    expect(await page.getByText("meaning", { exact: true }).count()).toBeGreaterThan(0);
    const beyond =
      "(each => each.scrollWidth - each.clientWidth)(document.querySelector('.scroll:has(table.sum)'))";
    expect(await page.evaluate(beyond)).toBe(0);
    // The bars are below the words, and each begins where the one before it ends, so the last ends at the edge.
    const edges = (await page.evaluate(`[...document.querySelectorAll(".sum .bar-cell > span")].map((bar) => {
      const { left, right, top } = bar.getBoundingClientRect();
      const row = bar.closest("tr");
      const { left: from, right: to } = row.getBoundingClientRect();
      return { left, right, from, to, isBelow: top > row.querySelector("bdi, th").getBoundingClientRect().top + 14 };
    })`)) as { left: number; right: number; from: number; to: number; isBelow: boolean }[];
    expect(edges.every(({ isBelow }) => isBelow)).toBe(true);
    expect(edges[0].left).toBeCloseTo(edges[0].from, 0);
    expect(edges.at(-1)!.right).toBeGreaterThan(edges[0].to - 4);
    await picture(page, "why-phone");
  });

  test("describes two routes at once without barriers", async () => {
    const { page } = await visitor.open("/docs");
    for (const i of [0, 1]) await page.locator("details > summary").nth(i).click(SOON);
    await page.locator(".scroll").nth(1).waitFor(SOON);
    expect(await page.getByRole("region", { name: "Answers" }).count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
  });

  test("helps where nothing is found", async () => {
    const { page, complaints } = await visitor.open("/?query=xyzzyqq");
    await page.getByText("Look for typos, or use fewer or more common words.").waitFor(SOON);
    expect(await page.locator(".filters, .toolbar").count()).toBe(0);
    const example = page.locator(".nothing .suggestions a").first();
    await example.waitFor(SOON);
    await example.click();
    await page.locator("[data-hit]").first().waitFor(SOON);
    expect(complaints).toEqual([]);
  });

  test("the shortcut of the box is a letter in the box", async () => {
    const { page } = await visitor.open("/");
    await page.locator(".welcome").waitFor(SOON);
    await page.locator("#query").focus();
    await page.keyboard.type("/canal/lock");
    await page.waitForURL(/query=%2Fcanal%2Flock/, SOON);
    await page.locator("[data-hit]").first().focus();
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.id")).toBe("query");
    expect(await page.locator("#query").inputValue()).toBe("/canal/lock");
  });

  test("shows documents of an index whose words begin with no usual letter", async () => {
    const { page, complaints } = await visitor.open("/?index=greek");
    await page.locator(".examples a", { hasText: "ωδή" }).waitFor(SOON);
    expect(complaints).toEqual([]);
  });

  test("takes the words of an index without words as they are", async () => {
    const { page, complaints } = await visitor.open("/?index=weights&query=canal");
    await page.locator('[data-hit="1"]').waitFor(SOON);
    expect(await page.locator(".suggestions").count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
