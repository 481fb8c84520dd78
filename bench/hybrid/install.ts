// Installs the packages of an engine for this bench only: into .peers at the root of the checkout, one folder per engine,
// kept for the next run. The folder has its own .gitignore, so neither git nor Biome sees it. It is not under bench/, because
// the build looks for sources there.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { EngineSpec } from "./engines.ts";

// From dist/bench/hybrid, where this runs.
const PEERS = fileURLToPath(new URL("../../../.peers", import.meta.url));
const TIMEOUT_MS = 8 * 60_000;

/** Returns the folder of an engine's packages. Engines with the same packages share it. */
export function peerFolder({ packages }: EngineSpec): string {
  const [first = "none"] = Object.keys(packages);
  return join(PEERS, first.replace(/^@/, "").replace("/", "-"));
}

/** Installs an engine's packages if they are missing. Throws with the reason if that fails. */
export async function install(spec: EngineSpec, progress: (text: string) => void): Promise<void> {
  if (Object.keys(spec.packages).length === 0) return;
  const folder = peerFolder(spec);
  const manifest = `${JSON.stringify({ private: true, dependencies: spec.packages }, null, 2)}\n`;
  const done = join(folder, "installed.json");
  if (existsSync(done) && (await readFile(done, "utf8")) === manifest) return;
  progress(`${spec.name}: installing ${Object.entries(spec.packages).map((pair) => pair.join(" "))}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(PEERS, ".gitignore"), "*\n");
  await writeFile(join(folder, "package.json"), manifest);
  await runNpm("install", folder, "--ignore-scripts", "--no-package-lock");
  for (const name of spec.build ?? []) {
    progress(`${spec.name}: building ${name}`);
    // Go on without it: the adapter has a replacement and reports it.
    await runNpm("rebuild", folder, name, "--ignore-scripts=false").catch((error: Error) =>
      progress(`${spec.name}: ${name} could not be built: ${error.message}`),
    );
  }
  await writeFile(done, manifest);
}

async function runNpm(command: string, folder: string, ...args: string[]): Promise<void> {
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  try {
    await promisify(execFile)("npm", [command, "--prefix", folder, ...quiet, ...args], {
      cwd: folder,
      timeout: TIMEOUT_MS,
    });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`npm ${command}: ${(stderr || message).trim().split("\n").slice(0, 3).join(" ")}`);
  }
}
