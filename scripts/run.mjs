// Runs a compiled program of this checkout, building first when a source is newer than the last build:
//   node scripts/run.mjs src/cli/main.js ARGS...
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const modified = (path) => statSync(root + path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function newest(folder) {
  let latest = 0;
  for (const entry of readdirSync(root + folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    latest = Math.max(latest, statSync(`${entry.parentPath}/${entry.name}`).mtimeMs);
  }
  return latest;
}

const built = modified("dist/.built");
const sources = [
  ...["src", "bench", "demo"].map(newest),
  ...["package.json", "tsconfig.build.json"].map(modified),
];
if (Math.max(...sources) > built) {
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
