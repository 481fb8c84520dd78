// The version of the package, read from its package.json.

import { existsSync, readFileSync } from "node:fs";

/**
 * Looks for package.json upward from this file: it is beside src, beside dist when compiled, and further up when bundled.
 * "unknown" if there is none, which happens when a bundle is moved out of the package.
 */
export function readVersion(): string {
  for (let at = new URL("../", import.meta.url); ; at = new URL("../", at)) {
    const path = new URL("package.json", at);
    const manifest = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    if (manifest.name === "sluice") return manifest.version;
    if (new URL("../", at).href === at.href) return "unknown";
  }
}
