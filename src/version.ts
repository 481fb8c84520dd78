// The version of the package, as its manifest has it.

import { existsSync, readFileSync } from "node:fs";

/** The manifest stands beside src, and beside dist when this is compiled. */
export function version(): string {
  const manifests = ["../package.json", "../../package.json"].map((path) => new URL(path, import.meta.url));
  return JSON.parse(readFileSync(manifests.find((path) => existsSync(path))!, "utf8")).version;
}
