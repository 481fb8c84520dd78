// Finds out what a folder holds: an index, nothing, or something else.

import { existsSync } from "node:fs";
import { readdir, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { damagedError } from "../../segment/container/container-format.ts";
import { isSegmentFile, SEGMENTS_FOLDER } from "../../segment/segment-file.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { fileError } from "../../support/files/file-error.ts";
import { makeFolders } from "../../support/files/make-folders.ts";
import { syncFolder, syncParents } from "../../support/files/sync-folder.ts";
import { DATABASE_FILE, LmdbDatabase } from "../database/lmdb-database.ts";
import { LOCK_FILE, TOKEN_RECORD } from "../database/lock.ts";
import { isUnfinished, removeUnfinished } from "../database/new-database.ts";
import { readCommit } from "../record/commit-record.ts";

/** The file that tells a backup from an index. */
export const BACKUP_FILE = "backup.json";

const OURS: readonly string[] = [DATABASE_FILE, `${DATABASE_FILE}-lock`, LOCK_FILE, SEGMENTS_FOLDER];

/** The database of an index, which the caller closes; or "nothing". */
type FolderContent = LmdbDatabase | "nothing";

/**
 * Finds the index at a path. Files of an index without a commit count as nothing. Throws if the folder holds other files, so that
 * no index is made among them.
 */
export async function findIndex(path: string): Promise<FolderContent> {
  const there = await stat(path).catch((error) => {
    if (error.code === "ENOENT") return undefined;
    throw fileError(error, path);
  });
  if (!there) return "nothing";
  if (there.isFile()) {
    throw new SluiceError(
      `${path}: is a file, expected the folder of an index`,
      undefined,
      "ERR_SLUICE_NO_INDEX",
    );
  }
  const names = await readdir(path).catch((error) => {
    throw fileError(error, path);
  });
  const database = names.includes(DATABASE_FILE) ? await openCommitted(path) : undefined;
  if (database) return database;
  await refuseSegments(path);
  const other = names.find(isOther);
  if (other === undefined) return "nothing";
  throw new SluiceError(
    `${path}: there is no index, and the folder holds other things, such as ${other}`,
    "give an index a folder of its own",
    "ERR_SLUICE_NO_INDEX",
  );
}

/** Whether a name in the folder of an index belongs to no file of the index. */
function isOther(name: string): boolean {
  return !OURS.includes(name) && !isUnfinished(name, DATABASE_FILE);
}

/** A file in the folder of an index that belongs neither to the index nor to a backup; undefined if the folder has no such file. */
export async function findOtherFile(folder: string): Promise<string | undefined> {
  const other = (await readdir(folder)).find((name) => isOther(name) && name !== BACKUP_FILE);
  if (other !== undefined) return other;
  const inside = await readdir(join(folder, SEGMENTS_FOLDER)).catch(() => []);
  const strange = inside.find((name) => !isSegmentFile(name));
  return strange === undefined ? undefined : join(SEGMENTS_FOLDER, strange);
}

/** Throws if there are segments although the database is missing. A crash never leaves that: see `removeFiles`. */
export async function refuseSegments(folder: string): Promise<void> {
  if (existsSync(join(folder, DATABASE_FILE))) return;
  const segment = await findFirstSegment(folder);
  if (segment === undefined) return;
  throw new SluiceError(
    `${folder}: there are segments, such as ${segment}, but ${DATABASE_FILE} is missing; the folder was copied in part`,
    "copy all of its files, or remove the folder",
    "ERR_SLUICE_DAMAGED",
  );
}

/** Whether there is an index, even a damaged one. */
export async function hasIndexInFolder(path: string): Promise<boolean> {
  try {
    const found = await findIndex(path);
    if (found instanceof LmdbDatabase) await found.close();
    return found !== "nothing";
  } catch (error) {
    if (error instanceof SluiceError) return error.code !== "ERR_SLUICE_NO_INDEX";
    throw error;
  }
}

/** The error about an index that would be replaced. */
export function indexExistsError(folder: string): SluiceError {
  return new SluiceError(
    `${folder}: already holds an index`,
    (nameOf) => `set ${nameOf("overwrite")} to replace it, or give another location`,
    "ERR_SLUICE_INDEX_EXISTS",
  );
}

/**
 * The database of a folder, if it has a commit. Throws if it had one: damage can hide the commit, and a new index would remove
 * it.
 */
async function openCommitted(folder: string): Promise<LmdbDatabase | undefined> {
  let database: LmdbDatabase;
  try {
    database = await LmdbDatabase.open(folder, { create: false });
  } catch (error) {
    if (!(error instanceof SluiceError && error.code === "ERR_SLUICE_NO_INDEX")) throw error;
    // A database gets its name when it has its tables, and segments come later.
    if (await findFirstSegment(folder)) throw hiddenCommitError(join(folder, DATABASE_FILE));
    return undefined;
  }
  try {
    if (readCommit(database) !== undefined) return database;
    const records = [...database.records.getKeys({})];
    const hasToken = records.includes(TOKEN_RECORD);
    // Only the first commit adds other records. A writer leaves its token before it writes a segment.
    if (records.length > Number(hasToken) || (!hasToken && (await findFirstSegment(folder)))) {
      throw hiddenCommitError(database.path);
    }
  } catch (error) {
    await database.close();
    throw error;
  }
  await database.close();
  return undefined;
}

async function findFirstSegment(folder: string): Promise<string | undefined> {
  return (await readdir(join(folder, SEGMENTS_FOLDER)).catch(() => [])).find(isSegmentFile);
}

const hiddenCommitError = (path: string) =>
  damagedError(path, "the commit record is missing, but there was a commit");

/** The database of a folder that is about to be changed. Makes what is missing, so that a power cut takes none of it away. */
export async function openForChanges(folder: string): Promise<LmdbDatabase> {
  try {
    await makeFolder(folder);
    await makeFolder(join(folder, SEGMENTS_FOLDER));
  } catch (error) {
    throw fileError(error, folder);
  }
  const database = await LmdbDatabase.open(folder, { create: true });
  try {
    removeUnfinished(database.path);
    await syncFolder(folder); // the names of the database and of the folder of segments
  } catch (error) {
    await database.close();
    throw fileError(error, folder);
  }
  return database;
}

async function makeFolder(path: string): Promise<void> {
  const first = await makeFolders(path);
  if (first !== undefined) await syncParents(path, first);
}

/** Removes the folders of an index without a commit. */
export async function removeIfEmpty(folder: string): Promise<void> {
  if (existsSync(join(folder, DATABASE_FILE))) return;
  await rmdir(join(folder, SEGMENTS_FOLDER)).catch(() => {});
  await rmdir(folder).catch(() => {}); // fails if it is not empty
}
