// The installed Chromium, without a window, with the GPU in software that it brings along.

import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

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
