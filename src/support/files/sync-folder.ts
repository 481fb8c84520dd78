// Names of files that survive a power cut.

import { closeSync, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Syncs a folder to disk. Without it, a renamed file may be gone after a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Makes the names of new folders durable: of `path` and of its parents, up to `first`, which was made first. */
export async function syncParents(path: string, first: string): Promise<void> {
  const end = dirname(resolve(first));
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    await syncFolder(folder).catch((error) => {
      if (error.code !== "EACCES") throw error; // a folder that this user may enter but not list cannot be synced
    });
    if (folder === end) return;
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
