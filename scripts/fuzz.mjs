// Bundles the fuzzer with counters in the code that it tries, and runs it: npm run fuzz -- --help
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle-tests.mjs";
import { instrumentation } from "./instrument.mjs";
import { compileKernels } from "./wasm.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Packages that read bytes for us. They are bundled, so that they have counters, too. */
const READERS = ["hyparquet", "@huggingface/tokenizers"];
const isRead = (id) =>
  READERS.some((name) => id.includes(`/node_modules/${name}/`)) ||
  (id.startsWith(join(root, "src")) && !id.endsWith("/wasm/binary.ts"));

await compileKernels();
const names = ["fuzz", "fuzz-worker"];
const input = Object.fromEntries(names.map((name) => [name, join(root, "test/fuzz", `${name}.ts`)]));
const built = await bundle(
  "fuzz",
  input,
  { entryFileNames: "[name].mjs" },
  { plugins: [instrumentation(isRead)], ssr: { noExternal: READERS } },
);
const child = spawn(process.execPath, [join(built, "fuzz.mjs"), ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.on("SIGINT", () => child.kill("SIGINT"));
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (status) => {
  rmSync(built, { recursive: true, force: true });
  process.exitCode = status ?? 1;
});
