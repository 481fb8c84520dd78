// The demo's page → files that a browser runs: Vite follows the imports, into the worker too.

import { join } from "node:path";
import { build } from "vite";

/** `root` is the checkout; its files are put beside what is in `outDir` already. */
export async function buildPage(root: string, outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: join(root, "demo/page"),
    base: "./",
    logLevel: "error",
    resolve: {
      // In a project of your own these are found in node_modules.
      alias: [
        { find: /^sluice\/browser\/worker$/, replacement: join(root, "src/browser/worker.ts") },
        { find: /^sluice\/browser$/, replacement: join(root, "src/browser/index.ts") },
      ],
    },
    worker: { format: "es" },
    build: { outDir, emptyOutDir: false, target: "es2023" },
  });
}
