// The compiled program, for tests that start it as users do. It is built if a source file is newer, by one test at a time.

import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const lock = join(tmpdir(), `sluice-build-${basename(join(root, "."))}.lock`);
/** How long a test may wait for the build, in ms. */
export const LONGEST_BUILD_MS = 240_000;

/** The path of the compiled command line. */
export async function builtCli(): Promise<string> {
  while (!taken()) await setTimeout(200);
  try {
    // The script that runs a program first builds what is out of date.
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(root, "scripts/run.mjs"), "src/cli/main.js", "--version"],
      { encoding: "utf8" },
    );
    if (status !== 0) throw new Error(`the build failed: ${stderr}`);
  } finally {
    rmSync(lock, { recursive: true });
  }
  return join(root, "dist/src/cli/main.js");
}

function taken(): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > LONGEST_BUILD_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}
