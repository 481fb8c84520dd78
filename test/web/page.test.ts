// The page as a person uses it: typing, reading, asking why, filtering, changing settings; with a keyboard, on a phone, in dark
// mode, and with a screen reader.

import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Sluice } from "../../src/index.ts";
import { dictionary, meanings } from "./indexes.ts";
import { barriers, DARK, noBrowser, PHONE, picture, Visitor, violations } from "./visit.ts";

vi.setConfig({ testTimeout: 300_000 }); // waits for Chromium

if (noBrowser) console.warn(`the page is not tested: ${noBrowser}`);

const QUERY = "a gate that controls the flow of water";
const asked = `query=${encodeURIComponent(QUERY)}`;
const REPORTS = fileURLToPath(new URL("../../bench/runs/experiments", import.meta.url));

/** Documents for an index with one dimension, in which each keeps one term. */
const CROWDED = [
  { id: "1", text: "a gate in the water" },
  { id: "2", text: "a boat, a boat on the water" },
  { id: "3", text: "a gate" },
];
/** A long timeout, since machines that run tests are busy. */
const SOON = { timeout: 20_000 };

const hits = (page: Page) => page.locator("[data-hit]");
/** The value of a field in each hit. */
const facts = (page: Page, field: string) =>
  page
    .locator(".facts > div", { hasText: new RegExp(`^${field}`) })
    .locator("dd")
    .allTextContents();
/** The link to the explanation of the first hit. */
const why = (page: Page) => page.getByRole("link", { name: "Why this result" }).first();
const focusedHit = (page: Page) => page.evaluate("document.activeElement.dataset.hit");

describe.skipIf(noBrowser)("the page", () => {
  let visitor: Visitor;
  beforeAll(async () => {
    const [wide, narrow, some] = await Promise.all([dictionary(768), dictionary(64), meanings()]);
    const crowded = await Sluice.build(CROWDED, { encoder: "none", dims: 1 });
    const given = await Sluice.build(
      [
        { id: "1", text: "a gate in the water", vector: [1, 0] },
        { id: "2", text: "a boat", vector: [0, 1] },
      ],
      { encoder: "none" },
    );
    const indexes = { dictionary: wide, narrow, meanings: some, crowded, given };
    visitor = await Visitor.to(indexes, { reports: REPORTS });
  }, 120_000);
  afterAll(() => visitor?.close());

  test("finds as one types, and never shows an older answer over a newer one", async () => {
    const { page, complaints } = await visitor.open("/");
    // The first answer is delayed until the second is there.
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/search", async (route) => {
      if (route.request().postDataJSON().query === "water") await held;
      await route.continue().catch(() => {}); // it was aborted, as expected
    });
    await page.locator("#query:focus").waitFor();
    await page.keyboard.type("water");
    await page.waitForURL(/query=water$/);
    await page.fill("#query", "gate");
    // Hits of "wat" may have been there before.
    await page.locator(".hits mark", { hasText: /gate/i }).first().waitFor();
    const found = await hits(page).allTextContents();
    release();
    await page.waitForTimeout(300);
    expect(await hits(page).allTextContents()).toEqual(found);
    expect(await page.locator(".hits mark").first().textContent()).toMatch(/gate/i);
    await page
      .getByRole("status")
      .filter({ hasText: /result|best 10/ })
      .waitFor();
    expect(complaints).toEqual([]);
  });

  test("the address holds what was asked, and the back button leads back", async () => {
    const { page } = await visitor.open(`/?${asked}`);
    await hits(page).first().waitFor();
    const first = await hits(page).allTextContents();
    await page.getByRole("checkbox", { name: /verb/ }).first().check();
    await page.waitForURL(/filter=/);
    expect(new URL(page.url()).searchParams.get("filter")).toBe('{"kind":{"in":["verb"]}}');
    await expect.poll(() => hits(page).allTextContents(), SOON).not.toEqual(first);
    expect(new Set(await facts(page, "kind"))).toEqual(new Set(["verb"]));
    await page.reload();
    await hits(page).first().waitFor();
    expect(await page.getByRole("checkbox", { name: /verb/ }).first().isChecked()).toBe(true);
    await page.goBack();
    await expect.poll(() => hits(page).allTextContents(), SOON).toEqual(first);
  });

  test("a range of numbers narrows down", async () => {
    const { page } = await visitor.open(`/?${asked}`);
    await page.getByLabel("from").fill("12");
    await page.waitForURL(/gte/);
    await expect
      .poll(async () => {
        const letters = await facts(page, "letters");
        return letters.length > 0 && letters.every((count) => Number(count) >= 12);
      }, SOON)
      .toBe(true);
    await page.getByRole("button", { name: "Remove all filters" }).click();
    await expect.poll(() => page.url(), SOON).not.toContain("filter=");
  });

  test("more results follow, as many as there are", async () => {
    const { page } = await visitor.open(`/?${asked}`);
    await page.getByRole("button", { name: "More results" }).click();
    await expect.poll(() => hits(page).count(), SOON).toBe(20);
    expect(page.url()).toContain("k=20");
  });

  test("says in words that nothing was found, and why", async () => {
    const { page } = await visitor.open("/?query=xyzzyx");
    await page.locator(".status", { hasText: "No document of this index answers this." }).waitFor();
    await page.locator(".status", { hasText: "No document has xyzzyx." }).waitFor();
    await picture(page, "nothing-found");
  });

  test("the keyboard is enough", async () => {
    const { page } = await visitor.open(`/?${asked}`);
    await hits(page).first().waitFor();
    const ids = await hits(page).evaluateAll((links) => links.map((link) => link.getAttribute("data-hit")));
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.id")).toBe("query");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await focusedHit(page)).toBe(ids[1]);
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Document" });
    await dialog.locator("article").waitFor();
    expect(page.url()).toContain("document=");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => focusedHit(page), SOON).toBe(ids[1]);
    expect(page.url()).not.toContain("document=");
    await page.keyboard.press("ArrowUp");
    expect(await focusedHit(page)).toBe(ids[0]);
    await page.keyboard.press("Escape");
    expect(await page.evaluate("document.activeElement.id")).toBe("query");
  });

  test("an explanation adds up to the score", async () => {
    const { page, complaints } = await visitor.open(`/?${asked}`);
    await why(page).click();
    const dialog = page.getByRole("dialog");
    await dialog.locator("tfoot .number").waitFor();
    const numbers = async (cells: string) => (await dialog.locator(cells).allTextContents()).map(Number);
    const contributions = await numbers(".sum tbody td:nth-child(4)");
    const products = await dialog.locator(".sum tbody tr").evaluateAll((rows) =>
      rows.map((row) => {
        const [query, document] = [...row.querySelectorAll("td")].map(({ textContent }) =>
          Number(textContent),
        );
        return query * document;
      }),
    );
    const [score] = await numbers(".sum tfoot .number");
    expect(contributions.length).toBeGreaterThan(1);
    // Two decimals are shown of each.
    expect(Math.abs(contributions.reduce((sum, x) => sum + x, 0) - score)).toBeLessThan(
      0.01 * contributions.length,
    );
    for (const [i, product] of products.entries())
      expect(Math.abs(product - contributions[i])).toBeLessThan(0.1);
    await picture(page, "explanation");
    expect(await barriers(page)).toEqual([]);
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });

  test("says what was lost to collisions", async () => {
    const { page } = await visitor.open("/?index=crowded&query=water&explain=1");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Lost to collisions" }).waitFor();
    expect(await dialog.innerText()).toMatch(
      /water is in the text, but a heavier word, gate, has its slot in the row/,
    );
    await picture(page, "collisions");
  });

  test("words and meaning are parts of one bar, and of one sum", async () => {
    const { page } = await visitor.open("/?index=meanings&query=ship");
    const bars = page.getByRole("img", { name: /^Score .*: lexical .*, semantic / });
    await bars.first().waitFor();
    expect(await bars.first().getAttribute("aria-label")).not.toMatch(/semantic 0.00/);
    // The boat contains no word of the query.
    expect(await bars.nth(1).getAttribute("aria-label")).toMatch(/lexical 0.00/);
    await picture(page, "meaning");
    await why(page).click();
    await page.getByRole("dialog").getByRole("rowheader", { name: "meaning" }).waitFor();
    await picture(page, "explanation-of-meaning");
  });

  test("moving θ strikes words through, changes the ranking, and draws what it costs", async () => {
    const { page, complaints } = await visitor.open(`/playground?${asked}`);
    const slider = page.getByRole("slider", { name: "Threshold θ" });
    await slider.waitFor();
    await page.locator(".fallen s").first().waitFor();
    const overlap = page.locator(".rankings [role=status] strong");
    await slider.fill("0");
    await page.waitForURL(/theta=0/);
    await expect.poll(() => page.locator(".fallen s").count(), SOON).toBe(0);
    await expect.poll(() => overlap.textContent(), SOON).toBe("100 %");
    await slider.fill((await slider.getAttribute("max"))!);
    await expect.poll(() => page.locator(".fallen s").count(), SOON).toBe(4);
    await expect.poll(() => overlap.textContent(), SOON).not.toBe("100 %");
    await page.getByRole("radio", { name: "a share of the weight" }).check();
    await page.waitForURL(/mass=/);
    await expect.poll(() => page.locator(".selected").count(), SOON).toBeGreaterThan(0);
    await page.getByLabel("Dimensions").selectOption("narrow");
    await page.waitForURL(/beside=narrow/);
    await page.locator(".tradeoff[aria-busy=false] circle").nth(20).waitFor();
    await expect.poll(() => page.locator(".tradeoff svg polyline").count(), SOON).toBe(2);
    await picture(page, "playground");
    expect(await barriers(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("λ weighs the meaning", async () => {
    const { page } = await visitor.open("/playground?index=meanings&query=ship");
    const scores = page.locator(".rankings .pair > div:first-child li > .number");
    await scores.first().waitFor();
    await expect.poll(() => scores.count(), SOON).toBeGreaterThan(1);
    await page.getByRole("slider", { name: /λ/ }).fill("0");
    await page.waitForURL(/lambda=0/);
    await expect.poll(() => scores.count(), SOON).toBe(1); // one document has the word
    await page.locator(".rankings ol a").first().click();
    await page.getByRole("dialog", { name: "Why this result" }).locator("tfoot").waitFor();
    expect(new URL(page.url()).pathname).toBe("/playground");
  });

  test("an index with vectors of its own is searched by words, and the page says so", async () => {
    const { page, complaints } = await visitor.open("/?index=given");
    await page.getByText("2 documents, found by words.").waitFor();
    await page.locator("#query").fill("gate");
    await page.getByRole("note").getByText("Answered by words only").waitFor();
    await expect.poll(() => hits(page).count(), SOON).toBe(1);
    await picture(page, "words-only");
    expect(await barriers(page)).toEqual([]);
    await why(page).click();
    await page.getByRole("dialog").locator("tfoot").waitFor();
    await page.goto(`${visitor.url}/playground?index=given&query=gate`);
    await page.getByRole("note").getByText("Answered by words only").waitFor();
    expect(await page.getByRole("slider", { name: /λ/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("the index page says what is served", async () => {
    const { page } = await visitor.open("/indexes");
    await page.getByRole("heading", { name: "meanings" }).waitFor();
    const section = page.locator("section", { has: page.getByRole("heading", { name: "narrow" }) });
    await expect
      .poll(() => section.textContent(), SOON)
      .toMatch(/5,890 documents · in memory · words · any language/);
    await section.getByText("Details").click();
    await expect.poll(() => section.innerText(), SOON).toMatch(/Dimensions\n64\n(.*\n)*.*WebAssembly/);
    await picture(page, "indexes");
    expect(await barriers(page)).toEqual([]);
  });

  test("says where there is no page, and leads on", async () => {
    const { page } = await visitor.open("/nosuchpage");
    await page.getByRole("heading", { name: "Not found" }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole("main").getByRole("link", { name: "Search" }).click();
    await page.locator(".welcome").waitFor();
    expect(new URL(page.url()).pathname).toBe("/");
  });

  test("reports are listed and shown, tables and plots", async () => {
    const { page, complaints } = await visitor.open("/reports");
    await page.getByRole("link", { name: "Two stages: quality against time" }).click();
    await expect.poll(() => page.evaluate("document.activeElement.id"), SOON).toBe("main");
    await page
      .getByRole("table", { name: /scifact/ })
      .first()
      .waitFor();
    await expect.poll(() => page.locator("svg[role=img] circle").count(), SOON).toBeGreaterThan(10);
    await picture(page, "report");
    expect(await barriers(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await page.goBack();
    await page.getByRole("heading", { name: "Reports" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("the first column of a report's table is readable on a phone", async () => {
    const { page } = await visitor.open("/reports/tradeoff", PHONE);
    await page.locator("article svg").first().waitFor();
    await picture(page, "report-phone");
    // A word is never broken, so no row is higher than its words on one line each.
    const rows = (await page.evaluate(`
      [...document.querySelectorAll("th[scope=row]")].map((cell) => {
        const { width, height } = cell.getBoundingClientRect();
        const lines = height / Number.parseFloat(getComputedStyle(cell).lineHeight);
        return { width, lines, words: cell.textContent.split(/\\s+/).length };
      })
    `)) as { width: number; lines: number; words: number }[];
    expect(rows.length).toBeGreaterThan(5);
    for (const { width, lines, words } of rows) {
      expect(width).toBeGreaterThan(100);
      expect(lines).toBeLessThan(words + 1);
    }
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  });

  test.each([
    ["light", {}],
    ["dark", DARK],
    ["phone", PHONE],
    ["dark phone", { ...PHONE, ...DARK }],
  ])("keeps nobody out: %s", async (name, options) => {
    const { page, complaints } = await visitor.open("/", options);
    await page.locator(".welcome").waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.locator("#query").fill(QUERY);
    await hits(page).first().waitFor();
    await picture(page, `search-${name.replace(" ", "-")}`);
    expect(await barriers(page)).toEqual([]);
    // Nothing is wider than the screen.
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    if ("isMobile" in options) {
      await page.getByText("Narrow down").tap();
      await page.getByRole("checkbox", { name: /noun/ }).first().tap();
      await page.waitForURL(/filter=/);
      await why(page).tap();
      await page.getByRole("dialog").locator("tfoot").waitFor();
      await picture(page, `explanation-${name.replace(" ", "-")}`);
      await page.getByRole("button", { name: "Close" }).tap();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test.each([
    ["the playground", `/playground?${asked}`, ".rankings ol a"],
    ["an explanation", `/?${asked}&explain=`, "dialog tfoot"],
    ["the indexes", "/indexes", ".card"],
    ["a report", "/reports/tradeoff", "article svg"],
  ])("%s keeps nobody out in the dark on a phone", async (name, path, there) => {
    const { page } = await visitor.open(path, { ...PHONE, ...DARK });
    if (path.endsWith("explain=")) await why(page).tap();
    await page.locator(there).first().waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await picture(page, `${name.replace(/^\w+ /, "")}-dark-phone`);
  });
});
