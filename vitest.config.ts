import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    alias: [
      { find: /^sluice$/, replacement: new URL("./src/index.ts", import.meta.url).pathname },
      { find: /^sluice\/browser$/, replacement: new URL("./src/browser/index.ts", import.meta.url).pathname },
      { find: /^sluice\/(\w+)$/, replacement: new URL("./src/$1/index.ts", import.meta.url).pathname },
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
