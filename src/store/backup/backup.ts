// An index in a folder → a consistent copy of its last commit, while others read and write; and a copy → an index. A copy is itself
// an index, with a file that says it is a copy. It is checked byte by byte before it takes its name.

import { existsSync } from "node:fs";
import {
  constants,
  copyFile,
  link,
  lstat,
  open,
  readdir,
  realpath,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import {
  openSegmentFile,
  SEGMENTS_FOLDER,
  type SegmentEntry,
  segmentError,
  segmentPath,
} from "../../segment/segment-file.ts";
import { FolderSegments } from "../../segment/stored-segments.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { checkPath } from "../../support/files/check-path.ts";
import { makeFolders } from "../../support/files/make-folders.ts";
import { requireOutside, resolveLinks } from "../../support/files/same-folder.ts";
import { syncFolder } from "../../support/files/sync-folder.ts";
import { writeFolder } from "../../support/files/write-folder.ts";
import { checkSaveOptions, type SaveOptions } from "../../support/options/save-options.ts";
import { checkWorkOptions, type WorkOptions } from "../../support/options/work-options.ts";
import { noIndexError } from "../database/database.ts";
import { DATABASE_FILE, LmdbDatabase } from "../database/lmdb-database.ts";
import { keepWritersOut } from "../database/lock.ts";
import { BACKUP_FILE, findIndex, hasIndexInFolder, indexExistsError } from "../medium/index-folder.ts";
import { type CommitRecord, readCommit } from "../record/commit-record.ts";
import { type VerifyResult, verifyFolder } from "../verify/verify.ts";
import { unpackTar } from "./tar.ts";

/** How often the copy begins again because merges removed segments meanwhile. Segments that were copied are not copied again. */
const MOST_TRIES = 20;

/** What was written elsewhere: by `save`, `backup`, `restore` or `exportWeb`. */
export interface CopyResult {
  /** How many documents it has. */
  readonly docs: number;
  /** Which commit it is. */
  readonly generation: number;
  /** How many bytes were written or checked. Absent on a cluster, which does not say. */
  readonly bytes?: number;
}

/** What a backup holds, or an index that was restored from one. */
export interface BackupResult extends CopyResult {
  readonly bytes: number;
  readonly segments: number;
  /** How many segments were copied; the others were in the older backup already. */
  readonly copied: number;
}

/** The error of an index in memory or on a cluster, which has no files to copy. */
export function noFilesError(): SluiceError {
  return new SluiceError(
    "only an index in a folder has files to copy",
    "save(folder) writes an index in memory, or one on a cluster, into a folder",
  );
}

/** Copies the last commit of an index into a folder. An older backup there is replaced, and only new segments are copied. */
export async function backupFolder(
  folder: string,
  target: string,
  options: WorkOptions,
): Promise<BackupResult> {
  checkPath("the folder of a backup", target);
  checkWorkOptions("backup", options);
  return writeBackup(folder, target, options);
}

/** Copies the last commit for a short time. Where the disk allows it, segments are linked instead of copied. */
export function backupByLinks(folder: string, target: string): Promise<BackupResult> {
  return writeBackup(folder, target, { isLinked: true });
}

async function writeBackup(
  folder: string,
  target: string,
  { isLinked, ...work }: WorkOptions & Pick<CopyTarget, "isLinked">,
): Promise<BackupResult> {
  requireOutside(target, folder, "the index", "a backup");
  const found = await findIndex(folder);
  if (found === "nothing") throw noIndexError(folder);
  const isBackup = async (path: string) => existsSync(join(path, BACKUP_FILE));
  try {
    return await writeFolder(target, isBackup, async (inside) => {
      const copied = await copyCommit(found, folder, { inside, older: target, isLinked }, work.signal);
      const { problems, ...checked } = await verifyCopy(inside, work);
      await writeFile(join(inside, BACKUP_FILE), JSON.stringify({ kind: "backup", ...checked }));
      await syncAll(inside);
      return { ...checked, copied };
    });
  } finally {
    await found.close();
  }
}

/** A backup, or a tar file of one → an index in a folder. An index that is there is replaced only with `overwrite`. */
export async function restoreFolder(
  backup: string,
  folder: string,
  options: SaveOptions,
): Promise<BackupResult> {
  checkPath("the backup", backup);
  checkPath("the folder of an index", folder);
  checkSaveOptions("restore", options);
  requireOutside(folder, backup, "the backup", "the index");
  const { overwrite, ...work } = options;
  // A link stays, and the folder that it leads to is replaced.
  const place = (await lstat(folder).catch(() => undefined))?.isSymbolicLink()
    ? resolveLinks(folder)
    : folder;
  let letWritersIn: (() => void) | undefined;
  try {
    return await writeFolder(place, checkReplaced, async (inside) => {
      if (await hasIndexInFolder(folder)) letWritersIn = await keepWritersOut(await realpath(folder));
      await copyBackup(backup, inside, work.signal);
      const { problems, ...checked } = await verifyCopy(inside, work);
      await rm(join(inside, BACKUP_FILE), { force: true });
      await syncAll(inside);
      if (process.platform === "win32") letIn(); // Windows renames no folder with an open file
      return { ...checked, copied: checked.segments };
    });
  } finally {
    letIn();
  }

  /** Whether there is an index to replace. It is asked when it is this call's turn: a call before it may have made one. */
  async function checkReplaced(path: string): Promise<boolean> {
    const hasIndex = await hasIndexInFolder(path);
    if (hasIndex && !overwrite) throw indexExistsError(folder);
    return hasIndex;
  }

  function letIn(): void {
    letWritersIn?.();
    letWritersIn = undefined;
  }
}

/** Copies the files of a backup, which is a folder or a tar file. */
async function copyBackup(backup: string, inside: string, signal: AbortSignal | undefined): Promise<void> {
  if ((await stat(backup).catch(() => undefined))?.isFile()) return unpackTar(backup, inside);
  const found = await findIndex(backup);
  if (found === "nothing") throw noBackupError(backup);
  try {
    await copyCommit(found, backup, { inside }, signal);
  } finally {
    await found.close();
  }
}

function noBackupError(path: string): SluiceError {
  return new SluiceError(
    `${path}: there is no backup`,
    "give the folder of a backup, or the tar file of a server",
    "ERR_SLUICE_NO_INDEX",
  );
}

interface CopyTarget {
  readonly inside: string;
  /** An older backup, whose segments are taken if they are the same. */
  readonly older?: string;
  /** Whether segments may be the same files on the disk: for a copy that is soon removed. */
  readonly isLinked?: boolean | undefined;
}

/**
 * Copies the database, then the segments that its commit names. Returns how many came from the index, not from the older backup.
 */
async function copyCommit(
  database: LmdbDatabase,
  folder: string,
  target: CopyTarget,
  signal?: AbortSignal,
): Promise<number> {
  const { inside } = target;
  await makeFolders(join(inside, SEGMENTS_FOLDER));
  const fresh = new Set<string>();
  for (let tries = 1; ; tries++) {
    await rm(join(inside, DATABASE_FILE), { force: true });
    await database.copyTo(join(inside, DATABASE_FILE));
    const { segments } = await commitRecordIn(inside);
    let copying = "";
    try {
      for (const entry of segments) {
        signal?.throwIfAborted();
        if (holdsSegment(inside, entry)) continue;
        copying = entry.name;
        if (await copySegment(folder, entry, target)) fresh.add(entry.name);
      }
      await removeOthers(inside, segments);
      return segments.filter(({ name }) => fresh.has(name)).length;
    } catch (error) {
      // A merge removed a segment after the database was copied: a newer commit has another one instead.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      if (tries === MOST_TRIES) throw segmentError(error, folder, copying);
    }
  }
}

async function commitRecordIn(folder: string): Promise<CommitRecord> {
  const database = await LmdbDatabase.open(folder, { create: false });
  try {
    const record = readCommit(database);
    if (!record) throw noIndexError(folder);
    return record;
  } finally {
    await database.close();
  }
}

/** Returns whether the segment came from the index. */
async function copySegment(
  folder: string,
  entry: SegmentEntry,
  { inside, older, isLinked }: CopyTarget,
): Promise<boolean> {
  const to = segmentPath(inside, entry.name);
  if (older !== undefined && holdsSegment(older, entry)) {
    await linkOrCopy(segmentPath(older, entry.name), to);
    return false;
  }
  const from = segmentPath(folder, entry.name);
  if (isLinked) await linkOrCopy(from, to);
  else await copyFile(from, to, constants.COPYFILE_FICLONE);
  return true;
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch((error) => {
    if (error.code === "ENOENT") throw error;
    return copyFile(from, to); // a disk that has no links
  });
}

/** Whether the file of a segment is there. `verifyFolder` reads its bytes later. */
function holdsSegment(folder: string, entry: SegmentEntry): boolean {
  if (!existsSync(segmentPath(folder, entry.name))) return false;
  try {
    openSegmentFile(folder, entry).close();
    return true;
  } catch {
    return false; // another segment of this name, or a damaged one: it is copied again
  }
}

/** Removes segments that were copied for an earlier commit. */
async function removeOthers(inside: string, segments: readonly SegmentEntry[]): Promise<void> {
  await new FolderSegments(inside).removeOthers(new Set(segments.map(({ name }) => name)));
}

async function verifyCopy(inside: string, work: WorkOptions): Promise<VerifyResult> {
  const found = await verifyFolder(inside, work);
  await rm(join(inside, `${DATABASE_FILE}-lock`), { force: true });
  const [problem] = found.problems;
  if (problem === undefined) return found;
  throw new SluiceError(
    `the copy is damaged, and was not kept: ${problem}`,
    "verify the index that it was made of",
    "ERR_SLUICE_DAMAGED",
  );
}

async function syncAll(inside: string): Promise<void> {
  for (const entry of await readdir(inside, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = await open(join(entry.parentPath, entry.name), "r+");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }
  await syncFolder(join(inside, SEGMENTS_FOLDER));
  await syncFolder(inside);
}
