// Writes a folder completely, or not at all. It may replace an older one.

import { existsSync } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { threadId } from "node:worker_threads";
import { SluiceError } from "../errors/sluice-error.ts";
import { fileError } from "./file-error.ts";
import { isRunning } from "./process-id.ts";
import { resolveLinks } from "./same-folder.ts";
import { syncFolder, syncParents } from "./sync-folder.ts";

/** The writes of this thread that have not ended, by folder: each is the last that was asked for there. */
const lastWrites = new Map<string, Promise<unknown>>();

/**
 * Replaces a folder that is empty or that `mayReplace` accepts. Throws if it holds anything else. Calls for one folder run one
 * after another.
 */
export async function writeFolder<T>(
  folder: string,
  mayReplace: (folder: string) => Promise<boolean>,
  write: (inside: string) => Promise<T>,
): Promise<T> {
  const key = resolveLinks(folder);
  const before = lastWrites.get(key) ?? Promise.resolve();
  const written = before.then(() => writeNow(folder, mayReplace, write));
  const ended = written.catch(() => {});
  lastWrites.set(key, ended);
  try {
    return await written;
  } finally {
    if (lastWrites.get(key) === ended) lastWrites.delete(key);
  }
}

async function writeNow<T>(
  folder: string,
  mayReplace: (folder: string) => Promise<boolean>,
  write: (inside: string) => Promise<T>,
): Promise<T> {
  await clearLeftovers(folder);
  const isTaken = await requireReplaceable(folder, mayReplace);
  const temporary = `${resolve(folder)}.${process.pid}${threadId === 0 ? "" : `-${threadId}`}.tmp`;
  const first = firstMissing(resolve(folder));
  try {
    await rm(temporary, { recursive: true, force: true });
    const written = await write(temporary);
    await syncFolders(temporary);
    if (isTaken) await replace(folder, temporary);
    else {
      await rename(temporary, folder);
      await syncParents(folder, first);
    }
    return written;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
    throw fileError(error, folder, "; what was there before is unchanged");
  }
}

/** The outermost missing folder of a path, which `write` makes; the path itself if none of them is missing. */
function firstMissing(path: string): string {
  const parent = dirname(path);
  return parent === path || existsSync(parent) ? path : firstMissing(parent);
}

/** Syncs a folder and those in it, so that a power loss leaves all names of files or, before the rename, none. */
async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(join(folder, entry.name));
  await syncFolder(folder);
}

/** Removes what a killed process left beside the folder. If it was killed while it replaced an older one, that comes back. */
export async function clearLeftovers(path: string): Promise<void> {
  const folder = resolve(path);
  const [parent, own] = [dirname(folder), `${basename(folder)}.`];
  for (const name of await readdir(parent).catch(() => [])) {
    const [, id, before] =
      /^(\d+)(?:-\d+)?\.(?:dropped|tmp(\.before)?)$/.exec(
        name.startsWith(own) ? name.slice(own.length) : "",
      ) ?? [];
    if (id === undefined || isRunning(Number(id))) continue;
    const isMissing = (await stat(folder).catch(() => undefined)) === undefined;
    if (before !== undefined && isMissing) await rename(join(parent, name), folder);
    else await removeRenamed(join(parent, name));
  }
}

/** Returns whether the folder exists. Throws if it must not be replaced. */
async function requireReplaceable(
  folder: string,
  mayReplace: (folder: string) => Promise<boolean>,
): Promise<boolean> {
  try {
    const names = await readdir(folder);
    if (names.length === 0 || (await mayReplace(folder))) return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw fileError(error, folder);
  }
  throw new SluiceError(
    `${folder}: holds something else, which would be lost`,
    "give a new folder, or one that was written by the same call",
  );
}

/** A folder cannot be renamed onto another, so the old one is moved away first. */
async function replace(folder: string, temporary: string): Promise<void> {
  const before = `${temporary}.before`;
  if (existsSync(before)) await removeRenamed(before); // an earlier call of this process could not
  await rename(folder, before);
  try {
    await rename(temporary, folder);
  } catch (error) {
    await rename(before, folder);
    throw error;
  }
  await removeRenamed(before);
}

/**
 * Removes a folder whose place another one took. A power loss may take back renames that are not synced, and keep later
 * removals: the folder would have its name back without its files. So names are synced first.
 */
async function removeRenamed(folder: string): Promise<void> {
  await syncFolder(dirname(resolve(folder)));
  await rm(folder, { recursive: true, force: true });
}
