// Hostile or missing documents, keys and servers. The page shows whatever they send as plain text.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Document, Sluice } from "../../src/index.ts";
import { barriers, noBrowser, PHONE, picture, Visitor, violations } from "./visit.ts";

vi.setConfig({ testTimeout: 300_000 }); // waits for Chromium

if (noBrowser) console.warn(`the page is not tested: ${noBrowser}`);

const KEY = "a-key-of-more-than-sixteen-characters";
const LONG = "w".repeat(5000);
const DOCUMENTS: Document[] = [
  {
    id: "script",
    title: "<script>alert(1)</script>",
    text: 'gate <img src=x onerror="alert(2)"> <svg onload=alert(3)> </p></div><style>*{display:none}</style> &lt;b&gt;',
    "<b>field</b>": "<i>value</i>",
    link: "javascript:alert(4)",
    site: "https://example.org/?query=<script>",
  },
  { id: "long", title: LONG, text: `gate ${LONG} ${LONG}`, kind: LONG },
  {
    id: "right-to-left",
    title: "بوابة \u202e gnorw si siht",
    text: "gate بوابة تتحكم في تدفق المياه \u202eevil\u2066 gate",
  },
  { id: "emoji", title: "👩‍👩‍👧‍👦🏳️‍🌈", text: `gate ${"👩‍👩‍👧‍👦".repeat(300)}` },
  { id: "null", title: "nu\u0000ll", text: "gate\u0000 \u001b[31m \u0007 \ud83d half", kind: "\u0000" },
  JSON.parse('{"id":"../../etc/passwd?x=#y","title":null,"text":"gate","__proto__":{"a":1},"toString":"x"}'),
  {
    id: "markdown",
    title: "**[a](javascript:alert(6))**",
    text: "# gate\n\n[b](javascript:alert(7)) ![c](https://example.org/x.png) <img src=x>\n\n> ".concat(
      "> - ".repeat(500),
    ),
  },
  { id: '"><script>alert(5)</script>', text: "gate", name: 7, words: [{}, null] },
];

describe.skipIf(noBrowser)("hostile documents", () => {
  let visitor: Visitor;
  beforeAll(async () => {
    visitor = await Visitor.to({ hostile: await Sluice.build(DOCUMENTS, { encoder: "none" }) });
  }, 120_000);
  afterAll(() => visitor?.close());

  test.each([
    ["", {}],
    [" on a phone", PHONE],
  ])("are shown harmlessly%s", async (name, options) => {
    const { page, complaints } = await visitor.open("/?query=gate", options);
    await page
      .locator("[data-hit]")
      .nth(DOCUMENTS.length - 1)
      .waitFor();
    const shown = await page.locator(".hits").innerText();
    for (const text of [
      "<script>alert(1)</script>",
      "onerror",
      "nu␀ll",
      "👩‍👩‍👧‍👦",
      "بوابة",
      "<i>value</i>",
    ]) {
      expect(shown).toContain(text);
    }
    expect(await page.locator(".hits :is(script, img, style, b, i)").count()).toBe(0);
    const links = await page
      .locator(".hits .facts a")
      .evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    expect(links).toEqual(["https://example.org/?query=<script>"]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await picture(page, `hostile${name.replaceAll(" ", "-")}`);
    expect(await barriers(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("are explained and read harmlessly, each of them", async () => {
    const { page, complaints } = await visitor.open("/?query=gate");
    for (const { id } of DOCUMENTS) {
      for (const [open, there] of [
        ["explain", "tfoot"],
        ["document", "article"],
      ]) {
        await page.goto(`${visitor.url}/?${new URLSearchParams({ query: "gate", [open]: id })}`);
        const dialog = page.getByRole("dialog");
        await dialog.locator(there).waitFor();
        expect(await dialog.locator(":is(script, img, style, b, i)").count()).toBe(0);
        expect(await page.evaluate("document.querySelector('dialog').scrollWidth <= innerWidth")).toBe(true);
        expect(await violations(page)).toEqual([]);
      }
    }
    expect(complaints).toEqual([]);
  });

  test("harm would be noticed", async () => {
    const { page, complaints } = await visitor.open("/?query=gate");
    await page.evaluate("document.body.innerHTML = '<img src=x onerror=alert(1)><b style=color:red>'");
    await expect
      .poll(() => violations(page), { timeout: 20_000 })
      .toEqual(["script-src-attr", "style-src-attr"]);
    expect(complaints.length).toBeGreaterThan(0);
  });

  test("a hostile query is a query", async () => {
    const { page, complaints } = await visitor.open("/");
    await page.fill("#query", `gate <script>alert(1)</script> \u202e ${"x".repeat(3000)}`);
    await page.locator("[data-hit]").first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("an address that nobody wrote is read as far as it can be", async () => {
    const path = `/?${new URLSearchParams({ query: "gate", filter: "{", theta: "NaN", index: "../x", explain: "no such" })}`;
    const { page } = await visitor.open(path);
    await page
      .getByRole("dialog")
      .getByRole("alert")
      .filter({ hasText: "There is no document with this id" })
      .waitFor();
    await page.keyboard.press("Escape");
    await page.locator("[data-hit]").first().waitFor();
  });

  test("a query that is refused is said in words", async () => {
    const { page } = await visitor.open(`/?query=${"x".repeat(9000)}`);
    await page.getByRole("alert").filter({ hasText: "The length of the query is 9000" }).waitFor();
  });
});

describe.skipIf(noBrowser)("documents without measure", () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`field${i}`, `value ${i}`]));
  const arabic = "بوابة تتحكم في تدفق المياه من القناة إلى النهر ".repeat(8);
  let visitor: Visitor;
  beforeAll(async () => {
    const documents: Document[] = [
      { id: "many", title: "Many", text: "A gate with fields.", ...many },
      { id: "title", title: "gate ".repeat(48_000), text: "A gate with a title." },
      { id: "arabic", title: arabic.slice(0, 300), text: `${arabic} gate` },
      { id: "word", title: "Word", text: `A ${"wordless".repeat(375)} thing.` },
    ];
    visitor = await Visitor.to({ wild: await Sluice.build(documents, { encoder: "none" }) });
  }, 120_000);
  afterAll(() => visitor?.close());

  test("are shown in part, and whole if asked", async () => {
    const { page, complaints } = await visitor.open("/?query=gate");
    await page.locator("[data-hit]").nth(2).waitFor();
    const hit = page.locator('li:has([data-hit="many"])');
    expect(await hit.locator(".facts > div").count()).toBe(20);
    await hit.getByRole("button", { name: "and 280 more fields" }).click();
    expect(await hit.locator(".facts > div").count()).toBe(300);
    expect((await page.locator('[data-hit="title"]').innerText()).length).toBeLessThan(500);
    // Title and text of a hit from right to left begin at the same edge.
    const rightOf = (selector: string) =>
      page
        .locator(`li:has([data-hit="arabic"]) ${selector}`)
        .evaluate((one) => one.getBoundingClientRect().right);
    expect(await rightOf(".text")).toBe(await rightOf("h2"));
    await picture(page, "without-measure");
    expect(await barriers(page)).toEqual([]);
    await page.locator('[data-hit="title"]').click();
    const title = page.getByRole("dialog").locator("h2").first();
    expect((await title.innerText()).length).toBeLessThan(500);
    await page.getByRole("button", { name: "Show all 240,000 characters of the title" }).click();
    await expect.poll(async () => (await title.innerText()).length).toBeGreaterThan(200_000);
    expect(complaints).toEqual([]);
  });

  test.each([
    ["", {}],
    [" on a phone", PHONE],
  ])("a completion is one line%s", async (name, options) => {
    const { page } = await visitor.open("/?query=wordl", options);
    const chip = page.locator(".suggestions a").first();
    await chip.waitFor();
    expect(await chip.evaluate((one) => one.getBoundingClientRect().height)).toBeLessThan(45);
    expect((await chip.getAttribute("title"))!.length).toBeGreaterThan(40);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await picture(page, `long-completion${name.replaceAll(" ", "-")}`);
  });
});

describe.skipIf(noBrowser)("a server with keys", () => {
  test("is asked with a key that lives as long as the tab", async () => {
    const index = await Sluice.build([{ id: "1", text: "a gate" }], { encoder: "none" });
    const visitor = await Visitor.to({ closed: index }, { keys: { read: [KEY] } });
    try {
      const { page } = await visitor.open("/?query=gate");
      await page.getByRole("heading", { name: "This server needs a key" }).waitFor();
      expect(await barriers(page)).toEqual([]);
      await picture(page, "key");
      await page.getByRole("textbox", { name: "Key" }).fill("wrong");
      await page.getByRole("button", { name: "Enter" }).click();
      await page.getByRole("alert").waitFor();
      await page.getByRole("textbox", { name: "Key" }).fill(KEY);
      await page.keyboard.press("Enter");
      await page.locator("[data-hit]").waitFor();
      expect(await page.evaluate("localStorage.length + document.cookie.length")).toBe(0);
      expect(page.url()).not.toContain(KEY);
      await page.reload();
      await page.locator("[data-hit]").waitFor();
    } finally {
      await visitor.close();
    }
  });
});

describe.skipIf(noBrowser)("the API of a server with keys", () => {
  test("is shown without one, and tried with one", async () => {
    const index = await Sluice.build([{ id: "1", text: "a gate" }], { encoder: "none" });
    const visitor = await Visitor.to({ closed: index }, { keys: { read: [KEY] } });
    try {
      const { page } = await visitor.open("/docs");
      await page.locator("details.route").first().waitFor();
      await page.getByRole("button", { name: "Key", exact: true }).waitFor();
      expect(await page.getByRole("dialog").count()).toBe(0);
      const listing = page.locator("details.route", { hasText: "List the indexes of this server" });
      await listing.locator("summary").click();
      await listing.getByRole("button", { name: "Send" }).click();
      await listing.getByText("Status 401").waitFor();
      await page.getByRole("button", { name: "Key", exact: true }).click();
      await page.getByRole("textbox", { name: "Key" }).fill(KEY);
      await page.keyboard.press("Enter");
      await listing.locator("summary").click();
      await listing.getByRole("button", { name: "Send" }).click();
      await listing.getByText("Status 200").waitFor();
      // Other views ask for a key, and say what they lack without one.
      await page.getByRole("button", { name: "Key", exact: true }).click();
      await page.getByRole("button", { name: "Forget the key" }).click();
      await page.locator("details.route").first().waitFor();
      await page.getByRole("link", { name: "Search", exact: true }).click();
      await page.getByRole("heading", { name: "This server needs a key" }).waitFor();
    } finally {
      await visitor.close();
    }
  });
});

describe.skipIf(noBrowser)("a server that is gone", () => {
  test("is missed in words, and found again", async () => {
    const visitor = await Visitor.to({
      small: await Sluice.build([{ id: "1", text: "a gate" }], { encoder: "none" }),
    });
    try {
      const { page } = await visitor.open("/?query=gate");
      await page.locator("[data-hit]").waitFor();
      await page.route("**/search", (route) => route.abort());
      await page.fill("#query", "gates");
      await page.getByRole("alert").filter({ hasText: "The server does not answer." }).waitFor();
      await page.unroute("**/search");
      await page.fill("#query", "gate a");
      await page.locator("[data-hit]").waitFor();
    } finally {
      await visitor.close();
    }
  });
});
