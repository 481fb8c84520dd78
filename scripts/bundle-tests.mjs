// Programs of a test folder → files that Node runs, for tests that start processes. The files are inside node_modules, so that
// they find the packages they need.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Bundles programs, and returns the folder that holds them, each as NAME.mjs. The caller removes it. */
export function bundleTests(folder, names) {
  const input = Object.fromEntries(names.map((name) => [name, join(root, folder, `${name}.ts`)]));
  return bundle(folder.replaceAll("/", "-"), input, { entryFileNames: "[name].mjs" });
}

/**
 * Bundles files by Vite, and returns the folder that holds them. `name` tells folders of several tests apart; `settings` are
 * more settings of Vite.
 */
export async function bundle(name, input, output, settings = {}) {
  const outDir = join(root, "node_modules", ".cache", `sluice-${name}-${process.pid}`);
  await build({
    ...settings,
    configFile: false,
    root,
    logLevel: "error",
    build: { ssr: true, outDir, emptyOutDir: true, target: "node20", rollupOptions: { input, output } },
  });
  return outDir;
}
