// Makes a folder, and those that it is in. Node's own `recursive` tries forever where a folder exists and takes no other, as /proc
// does, and reports ENOENT where a disk is read-only.

import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Makes what is missing of a path. Returns the first folder that it made; undefined if all were there. */
export async function makeFolders(path: string): Promise<string | undefined> {
  const folder = resolve(path);
  try {
    return await makeOne(folder);
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || parent === folder) throw error;
    const first = await makeFolders(parent);
    const own = await makeOne(folder);
    return first ?? own;
  }
}

/** Returns the folder if it made it, and undefined if it was there. */
async function makeOne(folder: string): Promise<string | undefined> {
  try {
    await mkdir(folder);
    return folder;
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST" && (await stat(folder)).isDirectory();
    if (!isThere) throw error;
    return undefined;
  }
}
