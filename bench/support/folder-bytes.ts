// A folder → the bytes of all files in it.

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

export async function measureFolderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}
