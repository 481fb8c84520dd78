// Whether a path names a file or a folder.

import { stat } from "node:fs/promises";

export async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
