// Names of files that survive a power cut.

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
