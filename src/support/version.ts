// The version of the package, as its manifest has it.

import { existsSync, readFileSync } from "node:fs";

/**
 * The manifest stands beside src, beside dist when this is compiled, and further up when it is bundled; a bundle that was
 * taken away from the package does not know its version.
 */
export function version(): string {
  for (let at = new URL("../", import.meta.url); ; at = new URL("../", at)) {
    const path = new URL("package.json", at);
    const manifest = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    if (manifest.name === "sluice") return manifest.version;
    if (new URL("../", at).href === at.href) return "unknown";
  }
}
