import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** A path, not a URL's pathname, which on Windows begins with a slash. */
const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

/** Tests that start processes, browsers or threads, and tests that replace modules. Each file gets a process of its own. */
const APART = [
  "test/*.test.ts",
  "test/{browser,fuzz,house,opensearch,reference,torture,web}/*.test.ts",
  "test/encode/encoder-folder.test.ts",
  "test/support/packages.test.ts",
  "src/report/report.test.ts",
  "src/server/indexes/missing-package.test.ts",
];

/**
 * Files that take longest, the longest first. They begin first, so that no core is idle while the last of them runs. A clean clone
 * has no durations of an earlier run to go by.
 */
const LONGEST = [
  ...["web/page", "durability", "threads", "gpu-search", "consumer", "house/examples", "interrupt", "site"],
  ...["webgpu/webgpu", "ingest/live-index", "store/damage", "step/trainer", "rank/engine", "wasm/scanner"],
];

/** Runs the files that need a process of their own first, and the longest of them before all. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return (project.config.isolate ? 0 : LONGEST.length + 1) + (at < 0 ? LONGEST.length : at);
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  resolve: {
    alias: [
      { find: /^sluice$/, replacement: source("index.ts") },
      { find: /^sluice\/browser$/, replacement: source("browser/index.ts") },
      { find: /^sluice\/(\w+)$/, replacement: source("$1/index.ts") },
    ],
  },
  test: {
    globalSetup: ["scripts/wasm.mjs"],
    setupFiles: ["test/helpers/setup.ts"],
    // A test that takes longer says so itself, with its reason.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores is what the smallest machine we test on has.
    maxWorkers: 2,
    // What a test replaced is put back, for the files that come after it in the same process.
    restoreMocks: true,
    unstubEnvs: true,
    sequence: { sequencer: LongestFirst },
    projects: [
      // A process of its own costs a file half a second, and it loads every module again. Most files need neither.
      {
        extends: true,
        test: {
          name: "together",
          include: ["src/**/*.test.ts", "test/**/*.test.ts", "web/**/*.test.ts"],
          exclude: [...APART, "**/node_modules/**"],
          isolate: false,
        },
      },
      { extends: true, test: { name: "apart", include: APART } },
    ],
  },
});
