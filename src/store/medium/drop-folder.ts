// Removes the folder of an index. It is renamed first, so the index is there as a whole or not at all. A damaged index, or one of
// another version, can be removed, too.

import { lstat, realpath, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { fileError } from "../../support/files/file-error.ts";
import { syncFolder } from "../../support/files/sync-folder.ts";
import { clearLeftovers } from "../../support/files/write-folder.ts";
import { keepWritersOut } from "../database/lock.ts";
import { findOtherFile, hasIndexInFolder } from "./index-folder.ts";

/** Removes an index with its folder. Throws if the folder holds no index or anything else, or if somebody writes to the index. */
export async function dropFolder(folder: string): Promise<void> {
  if (!(await hasIndexInFolder(folder))) throw nothingToDropError(folder);
  try {
    const path = await realpath(folder); // what a link leads to
    await refuseOtherFiles(path);
    await clearLeftovers(path);
    const link = await findLink(folder, path); // now, because nothing is there after the removal
    await removeWhole(path);
    if (link !== undefined) await rm(link);
  } catch (error) {
    throw fileError(error, folder);
  }
}

/** Throws if a folder holds files that do not belong to its index. They would be lost. */
export async function refuseOtherFiles(folder: string): Promise<void> {
  const other = await findOtherFile(folder);
  if (other === undefined) return;
  throw new SluiceError(
    `${folder}: the folder holds other things than the index, such as ${other}, so it was not dropped`,
    "move them elsewhere, and drop the index again",
    "ERR_SLUICE_FILE",
  );
}

export function nothingToDropError(location: string): SluiceError {
  return new SluiceError(
    `${location}: there is no index`,
    "look for a typing error in its location",
    "ERR_SLUICE_NO_INDEX",
  );
}

async function removeWhole(path: string): Promise<void> {
  const dropped = `${path}.${process.pid}.dropped`;
  const letWritersIn = await keepWritersOut(path);
  try {
    if (process.platform === "win32") letWritersIn(); // Windows renames no folder with an open file
    await rm(dropped, { recursive: true, force: true }); // left by an earlier drop that failed
    await rename(path, dropped).catch((error) => {
      throw error.code === "EBUSY" || error.code === "EXDEV" ? mountedError(path) : error;
    });
    await syncFolder(dirname(path));
    await rm(dropped, { recursive: true, force: true });
  } finally {
    if (process.platform !== "win32") letWritersIn();
  }
}

function mountedError(path: string): SluiceError {
  return new SluiceError(
    `${path}: the folder cannot be renamed, as if a disk were mounted there, so the index cannot be dropped as a whole`,
    "stop all who use it and remove its files, and give the next index a folder inside of this one",
    "ERR_SLUICE_FILE",
  );
}

/** The link that a location names and that leads to `path`; undefined if the location is no link. */
async function findLink(location: string, path: string): Promise<string | undefined> {
  const link = resolve(location); // without a slash at the end, which would lead through the link
  const isLink = (await lstat(link).catch(() => undefined))?.isSymbolicLink() === true;
  return isLink && (await realpath(link)) === path ? link : undefined;
}
