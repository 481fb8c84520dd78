// Runs a compiled program of this checkout. Builds first when a source has changed since the last build:
//   node scripts/run.mjs src/cli/main.js ARGS...
import { spawn, spawnSync } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { isStale } from "./sources.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
if (isStale()) {
  const { status } = spawnSync(process.execPath, [`${root}scripts/build.mjs`], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

const [program, ...args] = process.argv.slice(2);
const child = spawn(process.execPath, [`${root}dist/${program}`, ...args], { stdio: "inherit" });
// The terminal sends Ctrl-C to this process and the program. Let the program handle it, and pass on its exit status.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (status, signal) => {
  process.exitCode = signal ? 128 + constants.signals[signal] : (status ?? 1);
});
