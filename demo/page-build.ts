// The source of the demo's page → files for a browser. Vite bundles the page and its worker.

import { join } from "node:path";
import { build } from "vite";

/** Bundles the page into `outDir`, and keeps the files there. `root` is the checkout. */
export async function buildPage(root: string, outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: join(root, "demo/page"),
    base: "./",
    logLevel: "error",
    resolve: {
      // In your own project, node_modules provides these.
      alias: [
        { find: /^sluice\/browser\/worker$/, replacement: join(root, "src/browser/worker.ts") },
        { find: /^sluice\/browser$/, replacement: join(root, "src/browser/index.ts") },
      ],
    },
    worker: { format: "es" },
    build: { outDir, emptyOutDir: false, target: "es2023" },
  });
}
