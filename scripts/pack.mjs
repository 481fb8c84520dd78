// Packs the package as npm publishes it, after a build if a source has changed since the last one.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isStale } from "./sources.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Packs into a folder, and returns the path of the file. A package that is in the folder already is taken as it is. */
export function pack(folder) {
  const there = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (there) return join(folder, there);
  if (isStale()) {
    const { status } = spawnSync(process.execPath, [`${root}scripts/build.mjs`], { stdio: "inherit" });
    if (status !== 0) process.exit(status ?? 1);
  }
  const { status, stdout, stderr } = spawnSync("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(stderr);
  return join(folder, JSON.parse(stdout)[0].filename);
}
