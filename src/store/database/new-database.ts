// Gives a new database its name when it is whole: it is made under a temporary name, forced to disk, and linked. A power loss
// in between leaves the temporary file, which nobody reads and the next writer removes.

import { existsSync, linkSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isRunning } from "../../support/files/process-id.ts";
import { syncSync } from "../../support/files/sync-folder.ts";

/** What systems say about a disk that has no links. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

let made = 0;

/** A name that no other process, and no other call, uses. */
export function temporaryName(path: string): string {
  return `${path}.${process.pid}-${++made}.new`;
}

/** Whether a file of this name is a new database that was not finished, or its lock file. */
export function isUnfinished(name: string, database: string): boolean {
  return parseProcessId(name, database) !== undefined;
}

function parseProcessId(name: string, database: string): number | undefined {
  const found =
    name.startsWith(`${database}.`) && /^(\d+)-\d+\.new(-lock)?$/.exec(name.slice(database.length + 1));
  return found ? Number(found[1]) : undefined;
}

/** Makes a database durable and names it. If another process made one meanwhile, that one stays. */
export function nameDatabase(temporary: string, path: string): void {
  syncSync(temporary, "r+");
  try {
    linkSync(temporary, path); // unlike a rename, it replaces nothing
  } catch (error) {
    if (existsSync(path)) return;
    if (!NO_LINKS.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    renameSync(temporary, path);
  }
}

/** Removes a temporary database. */
export function removeTemporary(temporary: string): void {
  rmSync(temporary, { force: true });
  rmSync(`${temporary}-lock`, { force: true });
}

/** Removes temporary databases of processes that ended. Call it when the database is there. */
export function removeUnfinished(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    const id = parseProcessId(name, basename(path));
    if (id !== undefined && !isRunning(id)) rmSync(join(folder, name), { force: true });
  }
}
