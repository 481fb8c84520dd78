// Bundles a program of test/ that Node cannot run as it is, and runs it:
//   node scripts/run-test-program.mjs test/torture torture ARGS...
// Files beside the program whose names end in "worker.ts" are bundled with it, as programs that it may start.
import { spawn } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleTests } from "./bundle-tests.mjs";
import { compileKernels } from "./wasm.mjs";

const [folder, program, ...args] = process.argv.slice(2);
const files = readdirSync(fileURLToPath(new URL(`../${folder}`, import.meta.url)));
const workers = files.filter((file) => file.endsWith("worker.ts")).map((file) => basename(file, ".ts"));
await compileKernels();
const built = await bundleTests(folder, [program, ...workers]);
const child = spawn(process.execPath, [join(built, `${program}.mjs`), ...args], { stdio: "inherit" });
process.on("SIGINT", () => child.kill("SIGINT"));
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (status) => {
  rmSync(built, { recursive: true, force: true });
  process.exitCode = status ?? 1;
});
