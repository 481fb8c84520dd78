// Names of files that survive a power cut.

import { closeSync, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";

/** Syncs a folder to disk. Without it, a renamed file may be gone after a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Syncs a folder or, with the flags "r+", a file. */
export function syncSync(path: string, flags: "r" | "r+" = "r"): void {
  const fd = openSync(path, flags);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
