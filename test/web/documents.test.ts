// The page as a reader uses it: titles open documents, snippets and texts are rendered Markdown, counts follow the query, results
// are sorted and grouped, passages are shown once. And the API page, which tries a route.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Sluice } from "../../src/index.ts";
import { barriers, DARK, noBrowser, PHONE, picture, Visitor, violations } from "./visit.ts";

vi.setConfig({ testTimeout: 300_000 }); // waits for Chromium

if (noBrowser) console.warn(`reading documents in the page is not tested: ${noBrowser}`);

const SOON = { timeout: 20_000 };

const LOCK = `# How a lock works

A **lock** lifts boats between [two levels](https://example.org/levels) of a canal. See [the plan](plan.md).

- the gate closes
- the chamber fills with \`water\`

> Mind the gate.

| part | made of |
| ---- | ------- |
| gate | oak     |

<script>alert(1)</script> [bad](javascript:alert(2))`;

const HANDBOOK = [
  { id: "lock", title: "Lock", text: LOCK, kind: "work", year: 1439 },
  { id: "weir", title: "Weir", text: "A weir holds **water** back in a canal", kind: "work", year: 1200 },
  {
    id: "barge",
    title: "Barge",
    text: "A barge is a boat for a canal, pulled through a lock",
    kind: "boat",
    year: 1700,
  },
  { id: "ferry", title: "Ferry", text: "A ferry crosses water", kind: "boat", year: 1300 },
  { id: "قناة", title: "قناة", text: "القناة canal مجرى مائي", kind: "عمل", year: 900 },
];

const LONG = [
  {
    id: "canal",
    title: "Canal",
    text: "# Locks\n\nA lock lifts boats.\n\n# Gates\n\nA lock has a gate.\n\n# Towpaths\n\nMen pull.\n\n# Banks\n\nGrass.\n\n# Towpaths\n\nHorses walk here.",
  },
  { id: "mill", title: "Mill", text: "# Wheel\n\nWater turns it. It has no lock." },
];

/** Values that differ at their end. */
const FILES = Array.from({ length: 14 }, (_, i) => ({
  id: `${i}`,
  text: "A lock of a canal",
  file: `docs/guides/page-${i}.md`,
}));

const ids = (page: Page) =>
  page.locator("[data-hit]").evaluateAll((links) => links.map((link) => link.getAttribute("data-hit")));
const counts = (page: Page) => page.locator(".choice", { hasText: /work|boat/ }).allInnerTexts();

describe.skipIf(noBrowser)("the page of a reader", () => {
  let visitor: Visitor;
  beforeAll(async () => {
    const handbook = await Sluice.build(HANDBOOK, { encoder: "none" });
    const long = await Sluice.build(LONG, { encoder: "none", passages: true });
    const files = await Sluice.build(FILES, { encoder: "none" });
    visitor = await Visitor.to({ handbook, long, files });
  }, 120_000);
  afterAll(() => visitor?.close());

  test("begins with what is in the index, and queries to try", async () => {
    const { page, complaints } = await visitor.open("/");
    await page.getByText("5 documents, found by words.").waitFor();
    await page.locator(".examples a").first().waitFor();
    expect(await page.locator(".welcome .figures").innerText()).toMatch(
      /any language\s+kind\s+boat, work, عمل\s+year\s+900 to 1700/,
    );
    await picture(page, "start");
    expect(await barriers(page)).toEqual([]);
    await page.locator(".examples a").first().click();
    await page.getByRole("dialog").locator("article").waitFor();
    await page.keyboard.press("Escape");
    const query = page.locator(".welcome .suggestions a").first();
    const asked = await query.innerText();
    await query.click();
    await expect.poll(() => page.locator("[data-hit]").count(), SOON).toBeGreaterThan(0);
    expect(await page.locator("#query").inputValue()).toBe(asked);
    expect(complaints).toEqual([]);
  });

  test("opens a document by its title, reads it, asks why, and goes on to one like it", async () => {
    const { page, complaints } = await visitor.open("/?query=lock+gate");
    const snippet = page.locator(".hits li", { has: page.locator('[data-hit="lock"]') }).locator(".text");
    expect(await snippet.innerText()).not.toMatch(/\*\*|\]\(|^#|\| -/);
    expect(await snippet.locator("mark").allTextContents()).toContain("gate");
    await page.locator('[data-hit="lock"]').click();
    const dialog = page.getByRole("dialog", { name: "Document" });
    const text = dialog.locator(".markdown");
    await text.getByRole("heading", { name: "How a lock works" }).waitFor();
    expect(await text.locator("li").count()).toBe(2);
    expect(await text.locator("td").allTextContents()).toEqual(["part", "made of", "gate", "oak"]);
    expect(await text.locator("mark").count()).toBeGreaterThan(3);
    expect(await text.innerText()).toContain("<script>alert(1)</script> bad");
    const links = await text.locator("a").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    expect(links).toEqual(["https://example.org/levels"]);
    expect(await dialog.locator(".facts").innerText()).toMatch(/year\s*1439/);
    await picture(page, "document");
    expect(await barriers(page)).toEqual([]);
    await dialog.getByRole("link", { name: "Why this result" }).click();
    await page.getByRole("dialog", { name: "Why this result" }).locator("tfoot").waitFor();
    await page.keyboard.press("Escape");
    await dialog.getByRole("link", { name: "Barge" }).click();
    await dialog.getByRole("heading", { name: "Barge" }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(page.url()).not.toMatch(/document|explain/);
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("counts what the query finds, and what other choices would find", async () => {
    const { page, complaints } = await visitor.open("/?query=canal");
    await expect.poll(() => counts(page), SOON).toEqual(["work\n2", "boat\n1"]);
    expect(await page.locator(".status").innerText()).toMatch(/^4 results/);
    await page.locator("#query").fill("water");
    await expect.poll(() => counts(page), SOON).toEqual(["work\n2", "boat\n1"]);
    expect(await page.locator(".bars span").count()).toBe(16);
    await page.getByRole("checkbox", { name: /boat/ }).check();
    await expect.poll(() => ids(page), SOON).toEqual(["ferry"]);
    await expect.poll(() => counts(page), SOON).toEqual(["work\n2", "boat\n1"]);
    expect(complaints).toEqual([]);
  });

  test("counts passages and documents alike on all pages", async () => {
    const { page } = await visitor.open("/?index=long");
    await page.getByText("6 passages of 2 documents, found by words.").waitFor();
    await page.goto(`${visitor.url}/indexes`);
    await page.getByText("6 passages of 2 documents · in memory").waitFor();
    await page.getByText("5 documents · in memory").waitFor();
  });

  test("sorts by a field, and shows one of each group", async () => {
    const { page } = await visitor.open("/?query=canal");
    await page.getByLabel("Sort").selectOption("year ↑");
    await expect.poll(() => ids(page), SOON).toEqual(["قناة", "weir", "lock", "barge"]);
    await page.getByLabel("Sort").selectOption("year ↓");
    await expect.poll(() => ids(page), SOON).toEqual(["barge", "lock", "weir", "قناة"]);
    await page.getByLabel("Show").selectOption("one for each kind");
    await expect.poll(() => ids(page), SOON).toEqual(["barge", "lock", "قناة"]);
    expect(page.url()).toMatch(/sort=year(:|%3A)desc&group=kind/);
    await expect
      .poll(() => page.locator(".status").innerText(), SOON)
      .toMatch(/^\d groups of 4 results, by year/);
    await page.reload();
    await expect.poll(() => ids(page), SOON).toEqual(["barge", "lock", "قناة"]);
  });

  test("shows the end of paths, and finds one among many", async () => {
    const { page, complaints } = await visitor.open("/?index=files&query=lock");
    const names = page.locator(".choice bdi");
    await expect
      .poll(() => names.allTextContents(), SOON)
      .toEqual([0, 1, 10, 11, 12, 13].map((i) => `…/page-${i}.md`));
    expect(await names.first().getAttribute("title")).toBe("docs/guides/page-0.md");
    const box = page.getByRole("searchbox", { name: "Find a value of file" });
    await box.pressSequentially("/page-7");
    await page.getByRole("checkbox", { name: "docs/guides/page-7.md" }).waitFor();
    expect(await names.count()).toBe(1);
    await picture(page, "files");
    expect(await barriers(page)).toEqual([]);
    await box.fill("nothing");
    await page.getByText("No value has this.").waitFor();
    await box.fill("");
    await page.getByRole("button", { name: "8 more" }).click();
    expect(await names.count()).toBe(14);
    expect(complaints).toEqual([]);
  });

  test("shows a long document once, with its best passage", async () => {
    const { page } = await visitor.open("/?index=long&query=lock+gate");
    await expect.poll(() => ids(page), SOON).toEqual(["canal#2", "mill#1"]);
    await page.getByLabel("Show").selectOption("all passages");
    await expect.poll(async () => (await ids(page)).length, SOON).toBe(3);
    await page.locator('[data-hit="canal#2"]').click();
    const contents = page.getByRole("dialog").locator(".passages a");
    await expect
      .poll(() => contents.allTextContents(), SOON)
      .toEqual(["1 Locks", "2 Gates", "3 Towpaths", "4 Banks", "5 Towpaths"]);
    await contents.last().click();
    await page.getByRole("dialog").getByText("Horses walk here.").waitFor();
    await picture(page, "passages");
    expect(await barriers(page)).toEqual([]);
  });

  test("reads right-to-left text on a dark phone", async () => {
    const { page, complaints } = await visitor.open("/?query=canal", { ...PHONE, ...DARK });
    const hit = page.locator('[data-hit="قناة"]');
    await hit.waitFor();
    expect(
      await page.evaluate(
        `getComputedStyle(document.querySelector('[data-hit="قناة"]').parentNode).direction`,
      ),
    ).toBe("rtl");
    await hit.tap();
    await page.getByRole("dialog").locator(".markdown mark").waitFor();
    expect(await page.evaluate("document.querySelector('dialog').scrollWidth <= innerWidth")).toBe(true);
    await picture(page, "document-rtl-dark-phone");
    expect(await barriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("tries a route of the API", async () => {
    const { page, complaints } = await visitor.open("/docs");
    const route = page.locator("#search");
    await route.locator("summary").click();
    await route.getByRole("textbox", { name: "Body" }).fill('{ "query": "ferry", "fields": [] }');
    await route.getByRole("button", { name: "Send" }).click();
    await route.getByRole("status").getByText("Status 200").waitFor();
    expect(await route.locator(".try pre").innerText()).toContain('"id": "ferry"');
    await picture(page, "docs");
    expect(await barriers(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
