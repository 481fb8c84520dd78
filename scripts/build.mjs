// A full build: compiles src, bench and demo into an empty dist, bundles the web page, and writes a stamp for `isStale`.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sources } from "./sources.mjs";
import { compileKernels } from "./wasm.mjs";
import { bundlePage } from "./web.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const tsc = `${root}node_modules/typescript/bin/tsc`;
if (!existsSync(tsc)) {
  console.error("the dependencies are not installed; run: npm ci");
  process.exit(2);
}
await compileKernels();
rmSync(`${root}dist`, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: ["ignore", 2, 2],
});
if (status !== 0) process.exit(status ?? 1);
chmodSync(`${root}dist/src/cli/main.js`, 0o755);
await bundlePage();
writeFileSync(`${root}dist/.built`, sources().join("\n"));
