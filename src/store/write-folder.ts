// A folder that is written anew: whole, in the place of an older one, or not at all.

import { readdir, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { UsageError } from "../errors.ts";
import { fileError } from "../support/file-error.ts";

/** What is there is replaced when it is empty, or `isOurs` says so; otherwise it is refused. */
export async function writeFolder<T>(
  folder: string,
  isOurs: (folder: string) => Promise<boolean>,
  write: (inside: string) => Promise<T>,
): Promise<T> {
  const isTaken = await requireReplaceable(folder, isOurs);
  const temporary = `${resolve(folder)}.${process.pid}.tmp`;
  try {
    await rm(temporary, { recursive: true, force: true });
    const written = await write(temporary);
    if (isTaken) await replace(folder, temporary);
    else await rename(temporary, folder);
    return written;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
    throw fileError(error, folder, "; what was there before is unchanged");
  }
}

/** Whether something is there. */
async function requireReplaceable(
  folder: string,
  isOurs: (folder: string) => Promise<boolean>,
): Promise<boolean> {
  try {
    const names = await readdir(folder);
    if (names.length === 0 || (await isOurs(folder))) return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw fileError(error, folder);
  }
  throw new UsageError(
    `${folder}: holds something that is no export`,
    "give a new folder, or an older export",
  );
}

/** A folder cannot be renamed onto another, so the old one steps aside. */
async function replace(folder: string, temporary: string): Promise<void> {
  const before = `${temporary}.before`;
  await rename(folder, before);
  try {
    await rename(temporary, folder);
  } catch (error) {
    await rename(before, folder);
    throw error;
  }
  await rm(before, { recursive: true, force: true });
}
