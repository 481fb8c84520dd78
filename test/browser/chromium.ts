// Starts the installed Chromium, headless, with its software GPU.

import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Why there is no browser to test in. */
export function noChromium(): string | undefined {
  return existsSync(CHROMIUM) ? undefined : `there is no ${CHROMIUM}`;
}

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...["--no-sandbox", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"],
      ...["--enable-features=Vulkan", "--disable-vulkan-surface"],
    ],
  });
}

/** A tab that waits as long as the test: a software GPU is slow on a busy machine. */
export async function newPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(240_000);
  return page;
}
