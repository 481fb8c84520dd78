import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** A path, not a URL's pathname, which on Windows begins with a slash. */
const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^sluice$/, replacement: source("index.ts") },
      { find: /^sluice\/browser$/, replacement: source("browser/index.ts") },
      { find: /^sluice\/(\w+)$/, replacement: source("$1/index.ts") },
    ],
  },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "web/**/*.test.ts"],
    globalSetup: ["scripts/wasm.mjs"],
    setupFiles: ["test/setup.ts"],
    // A test that takes longer says so itself, with its reason.
    testTimeout: 60_000,
    // Two cores is what the smallest machine we test on has.
    maxWorkers: 2,
  },
});
