// Runs a compiled program of this checkout, building first when a source has changed since the last build:
//   node scripts/run.mjs src/cli/main.js ARGS...
import { spawnSync } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { isStale } from "./sources.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
if (isStale()) {
  const { status } = spawnSync(process.execPath, [`${root}scripts/build.mjs`], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

const [program, ...args] = process.argv.slice(2);
// The terminal sends an interrupt to the whole group: leave it to the program, and report how it ended.
process.on("SIGINT", () => {});
const { status, signal } = spawnSync(process.execPath, [`${root}dist/${program}`, ...args], {
  stdio: "inherit",
});
process.exit(signal ? 128 + constants.signals[signal] : (status ?? 1));
