// A tab of Chromium with reader-page.ts: it searches what is exported below a folder, in the page and in a worker.

import { writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { serveFolder } from "../../demo/static-server.ts";
import { launch, newPage } from "./chromium.ts";
import type { PageApi } from "./reader-page.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export class Tab {
  readonly page: Page;
  /** Where the folder is served, with a slash at its end. */
  readonly url: string;
  readonly #browser: Browser;
  readonly #server: Server;

  private constructor(page: Page, url: string, browser: Browser, server: Server) {
    this.page = page;
    this.url = url;
    this.#browser = browser;
    this.#server = server;
  }

  /** Builds the page into the folder, serves the folder, and opens the page. `onRequest` hears of each URL that is asked for. */
  static async open(site: string, onRequest: (url: string) => void = () => {}): Promise<Tab> {
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
    const { server, url } = await serveFolder(site);
    const browser = await launch();
    const page = await newPage(browser);
    page.on("request", (request) => onRequest(request.url()));
    await page.goto(`${url}test.html`);
    await page.waitForFunction("globalThis.sluice");
    return new Tab(page, url, browser, server);
  }

  /** Calls a function of reader-page.ts. */
  call<Name extends keyof PageApi>(
    name: Name,
    ...args: Parameters<PageApi[Name]>
  ): ReturnType<PageApi[Name]> {
    return this.page.evaluate(
      ({ name, args }) => {
        const api = (globalThis as unknown as { sluice: Record<string, (...args: unknown[]) => unknown> })
          .sluice;
        return api[name](...args);
      },
      { name, args } as { name: string; args: unknown[] },
    ) as ReturnType<PageApi[Name]>;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#server.close();
  }
}
