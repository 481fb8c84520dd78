// A real server on a free port, and a browser that opens its page. It records violations of the content policy, errors and
// warnings, and keeps screenshots in test-artifacts/.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import type { Sluice } from "../../src/index.ts";
import { type RunningServer, type ServeOptions, serve } from "../../src/server/index.ts";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const ARTIFACTS = fileURLToPath(new URL("../../test-artifacts/", import.meta.url));
const BUNDLER = fileURLToPath(new URL("../../scripts/web.mjs", import.meta.url));
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Why the page cannot be tested here; undefined if it can. */
export const noBrowser = existsSync(CHROMIUM) ? undefined : `there is no ${CHROMIUM}`;

export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};
export const DARK: BrowserContextOptions = { colorScheme: "dark" };

/** An open page, and the errors and warnings it caused. */
interface Visit {
  readonly page: Page;
  readonly complaints: string[];
}

let folder: string | undefined;

/** The page as a build makes it, once. */
function bundled(): string {
  if (folder === undefined) {
    folder = mkdtempSync(join(tmpdir(), "sluice-page-"));
    execFileSync(process.execPath, [BUNDLER, folder], { stdio: "pipe" });
  }
  return folder;
}

export class Visitor {
  readonly #browser: Browser;
  readonly #server: RunningServer;

  private constructor(browser: Browser, server: RunningServer) {
    this.#browser = browser;
    this.#server = server;
  }

  static async to(indexes: Record<string, Sluice>, options: ServeOptions = {}): Promise<Visitor> {
    mkdirSync(ARTIFACTS, { recursive: true });
    const server = await serve(indexes, { port: 0, page: bundled(), ...options });
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    return new Visitor(browser, server);
  }

  get url(): string {
    return this.#server.url;
  }

  /** Opens an address in its own window, which is closed with the test. */
  async open(path: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await this.#browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const complaints: string[] = [];
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("dialog", (dialog) => {
      complaints.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(this.url)) complaints.push(`a request elsewhere: ${request.url()}`);
    });
    await page.addInitScript(`
      window.violations = [];
      document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
    `);
    await page.goto(this.url + path);
    return { page, complaints };
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#server.close();
  }
}

export async function picture(page: Page, name: string): Promise<void> {
  // A dialog covers the window, not the page behind it.
  const fullPage = (await page.locator("dialog[open]").count()) === 0;
  await page.screenshot({ path: join(ARTIFACTS, `${name}.png`), fullPage });
}

export async function violations(page: Page): Promise<string[]> {
  return (await page.evaluate("window.violations")) as string[];
}

/** The accessibility problems that axe finds. Axe is injected past the page's content policy, which allows no other script. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, "utf8"));
  const { violations } = (await page.evaluate("axe.run()")) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}
