// Writes a folder completely, or not at all. It may replace an older one.

import { readdir, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { UsageError } from "../errors.ts";
import { fileError } from "../support/file-error.ts";

/** Replaces a folder that is empty or that `isOurs` accepts. Throws if it holds anything else. */
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

/** Returns whether the folder exists. Throws if it must not be replaced. */
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
    `${folder}: holds something that is not an export`,
    "give a new folder, or an older export",
  );
}

/** A folder cannot be renamed onto another, so the old one is moved away first. */
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
