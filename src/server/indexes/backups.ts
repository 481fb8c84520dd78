// An index → its backup as one tar file, to download. The backup is made and checked beside the index first, so a download begins
// only if it is whole; it is removed when the download ends.

import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Sluice } from "../../index.ts";
import { isClusterAddress } from "../../open/location.ts";
import { backupByLinks } from "../../store/backup/backup.ts";
import { createTar } from "../../store/backup/tar.ts";
import { isRunning } from "../../support/files/process-id.ts";
import { HttpError } from "../wire/http-errors.ts";
import type { Download } from "../wire/responses.ts";

/** Counts the backups of this process, so that several can be made at once. */
let made = 0;

export async function downloadBackup(name: string, index: Sluice): Promise<Download> {
  const { location: folder } = index;
  if (folder === undefined || isClusterAddress(folder)) {
    throw new HttpError(403, "no_files", "the index is not in a folder, so there are no files to download");
  }
  await removeLeftovers(folder);
  const copy = `${folder}.${process.pid}.${++made}.backup`;
  const remove = () => rm(copy, { recursive: true, force: true });
  try {
    const { generation } = await backupByLinks(folder, copy);
    const { bytes, content } = await createTar(copy);
    return { type: "application/x-tar", name: `${name}-${generation}.tar`, bytes, content, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Removes the copies that a killed process left beside the index. */
async function removeLeftovers(folder: string): Promise<void> {
  const prefix = `${basename(folder)}.`;
  for (const name of await readdir(dirname(folder))) {
    const [, id] = /^(\d+)\.\d+\.backup/.exec(name.startsWith(prefix) ? name.slice(prefix.length) : "") ?? [];
    if (id === undefined || isRunning(Number(id))) continue;
    await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}
