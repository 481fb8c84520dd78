// The documentation site, built once and read in Chromium: the search box finds the page that holds a word, by keyboard, on a
// phone and in the dark, with nothing fetched from elsewhere.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { serveFolder } from "../../demo/static-server.ts";
import { launch, noChromium } from "../browser/chromium.ts";
import { builtCli, LONGEST_BUILD_MS, root } from "../helpers/built.ts";

vi.setConfig({ testTimeout: 300_000 }); // waits for the build and for Chromium

const missing = noChromium();
if (missing) console.warn(`The documentation site is not tested: ${missing}`);

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const SITE = join(root, "docs/build/site");
const PICTURES = join(root, "test-artifacts");
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};
const DARK: BrowserContextOptions = { colorScheme: "dark" };

describe.skipIf(missing)("the documentation site", () => {
  let browser: Browser;
  let server: Server;
  let url: string;

  beforeAll(async () => {
    await builtCli();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, "scripts/docs.mjs"), "--if-stale"],
      { encoding: "utf8" },
    );
    expect(status, stdout + stderr).toBe(0);
    mkdirSync(PICTURES, { recursive: true });
    ({ server, url } = await serveFolder(SITE));
    browser = await launch();
  }, LONGEST_BUILD_MS);

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  /** A page of the site, and what it did that it should not have done. */
  async function visit(path: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(url) && !request.url().startsWith("data:"))
        complaints.push(`a request elsewhere: ${request.url()}`);
    });
    await page.goto(url + path, { waitUntil: "networkidle" });
    return { page, complaints };
  }

  const hits = (page: Page) => page.getByRole("option");
  const input = (page: Page) => page.getByRole("combobox", { name: "Search the documentation" });

  /** Opens the box by its key, which does nothing until the page's program has started: so until the box is there. */
  async function openBox(page: Page, key: string) {
    const box = page.locator("dialog.box[open]");
    for (let tries = 0; tries < 60; tries++) {
      await page.keyboard.press(key);
      await page.waitForTimeout(100);
      if (await box.isVisible()) {
        await input(page).fill(""); // a key pressed twice is a letter in the box
        return;
      }
      await page.waitForTimeout(400);
    }
    throw new Error(`${key} opened no box`);
  }

  /** Waits for a hit that leads to an address. What the box says instead is in the error. */
  async function waitForHit(page: Page, address: string, complaints: readonly string[]) {
    try {
      await page.locator(`[role=option][href*="${address}"]`).first().waitFor();
    } catch {
      const box = await page.locator("dialog.box").innerText();
      throw new Error(`no hit leads to ${address}; the page complains of ${complaints}; the box has: ${box}`);
    }
  }

  test("typing a word shows the page that holds it, and Enter opens it", async () => {
    const { page, complaints } = await visit("");
    await openBox(page, "/");
    await page.keyboard.type("little-endian bytes of a segment");
    await waitForHit(page, "/reference/file-format", complaints);
    expect(await hits(page).locator("mark").count()).toBeGreaterThan(3);
    await page.screenshot({ path: join(PICTURES, "site-search.png") });

    await input(page).fill("");
    await page.keyboard.type("SluiceReader");
    await waitForHit(page, "/api/sluice/browser/classes/SluiceReader", complaints);
    const first = await hits(page).first().getAttribute("href");
    await page.keyboard.press("ArrowDown");
    expect(await page.locator("[aria-selected=true]").getAttribute("id")).toBe("search-hit-1");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL((address) => address.href.endsWith(first!));
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    expect(complaints).toEqual([]);
  });

  test("a heading that a hit leads to is in its page", async () => {
    const { page } = await visit("");
    const found: string[] = [];
    for (const question of [
      "minScore",
      "quantize codes",
      "checksum of a file",
      "search options",
      "WebGPU kernel",
    ]) {
      await openBox(page, "Control+k");
      await input(page).fill(question);
      await page
        .getByRole("status")
        .filter({ hasText: /result/ })
        .waitFor();
      await hits(page).first().waitFor();
      found.push(...(await hits(page).evaluateAll((all) => all.map((one) => one.getAttribute("href")!))));
      await page.keyboard.press("Escape");
      await page.locator("dialog.box[open]").waitFor({ state: "detached" });
    }
    expect(found.length).toBeGreaterThan(20);
    for (const href of found) {
      const [path, id] = href.split("#");
      const file = join(SITE, path.endsWith("/") ? `${path}index.html` : path);
      expect(existsSync(file), href).toBe(true);
      if (id) expect(readFileSync(file, "utf8"), href).toContain(`id="${id}"`);
    }
  });

  test("the box keeps nobody out: in the light, in the dark, and on a phone", async () => {
    for (const [name, options] of Object.entries({ light: {}, dark: DARK, phone: { ...PHONE, ...DARK } })) {
      const { page, complaints } = await visit("reference/file-format.html", options);
      await page.getByRole("button", { name: "Search", exact: true }).click();
      await input(page).fill("posting list");
      await hits(page).first().waitFor();
      await page.screenshot({ path: join(PICTURES, `site-${name}.png`) });
      expect(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name).toBe(
        true,
      );
      await page.evaluate(readFileSync(AXE, "utf8"));
      const { violations } = (await page.evaluate('axe.run("dialog.box")')) as {
        violations: { id: string; impact: string; nodes: { html: string }[] }[];
      };
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      expect(serious.map(({ id, nodes }) => `${name}: ${id}: ${nodes[0].html}`)).toEqual([]);
      await hits(page).first().click();
      await page.locator("dialog.box[open]").waitFor({ state: "detached" });
      expect(complaints).toEqual([]);
    }
  });

  test("a question that no page answers says so", async () => {
    const { page } = await visit("");
    await openBox(page, "/");
    await page.keyboard.type("zyzzyva");
    await page.getByText("No page has these words: zyzzyva").waitFor();
  });
});
