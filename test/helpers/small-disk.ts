// A small file system of its own, to test a full disk.

import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Skips a test and says why. */
export type Skip = (why: string) => never;

/** Mounts a file system of a size such as 8m and returns its folder. Skips the test where that is not allowed. */
export function mounted(size: string, skip: Skip): string {
  const path = mkdtempSync(join(tmpdir(), "sluice-disk-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path]);
  return status === 0 ? path : skip("cannot mount a small file system here");
}

/** Unmounts it, even if a map of one of its files outlives the closing. */
export function unmount(path: string): void {
  spawnSync("umount", ["-l", path]);
}
