// The program of a thread → its file, if a thread can run it. Where it cannot, the main thread does the work itself.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Node's permission model, which `@types/node` of Node 20 leaves out; absent unless Node runs with `--permission`. */
interface Permission {
  has(scope: "worker"): boolean;
}

/**
 * The same file, if a thread can run it. Undefined in a bundle, which does not have the file, if TypeScript sources run directly,
 * and if Node may not start threads (`--permission` without `--allow-worker`).
 */
export function findThreadFile(url: URL): URL | undefined {
  const { permission } = process as { permission?: Permission };
  if (permission && !permission.has("worker")) return undefined;
  return url.protocol === "file:" && existsSync(fileURLToPath(url)) ? url : undefined;
}
