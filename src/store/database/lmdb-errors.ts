// Errors of LMDB → errors that name the file. An error of LMDB has a number: the system's, or one that LMDB defines.

import { getSystemErrorName } from "node:util";
import { damagedError } from "../../segment/container/container-format.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { fileError } from "../../support/files/file-error.ts";
import { isNearlyFull } from "./disk-space.ts";

const [ENOENT, EIO, EACCES, ENOSPC, EROFS] = [2, 5, 13, 28, 30];
/** LMDB's error for a destroyed mutex, and for a transaction after a failed write. */
export const EINVAL = 22;
const SYSTEM: Readonly<Record<number, string>> = {
  [ENOENT]: "ENOENT",
  [EIO]: "EIO",
  [EACCES]: "EACCES",
  [ENOSPC]: "ENOSPC",
  [EROFS]: "EROFS",
};
const NOT_FOUND = -30_798;
/** A write failed in a way that LMDB cannot undo in this process. It refuses all further use, also to read. */
const PANIC = -30_795;
/** MDB_KEYEXIST … MDB_LAST_ERRCODE */
const LMDB_CODES = [-30_799, -30_779] as const;

export function databaseError(error: unknown, path: string, more = ""): unknown {
  if (error instanceof SluiceError) return error;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string };
  if (typeof code === "string") return fileError(error, path, more);
  if (typeof code !== "number") return error;
  // A disk that fills up in the middle of a write shows as EIO.
  const isFull = code === ENOSPC || (code === EIO && isNearlyFull(path, 0));
  const name = isFull ? "ENOSPC" : SYSTEM[code];
  if (name) return fileError(Object.assign(new Error(message), { code: name }), path, more);
  if (code === PANIC) return brokenError(path, more);
  if (code >= LMDB_CODES[0] && code <= LMDB_CODES[1]) return damagedError(path, message ?? String(code));
  if (code <= 0) return error;
  const what = `${path}: the database failed: ${message ?? getSystemErrorName(-code)}${more}`;
  return new SluiceError(what, undefined, "ERR_SLUICE_FILE");
}

/** The error about a database that LMDB does not let anybody use after a failed write. */
export function brokenError(path: string, more: string): SluiceError {
  return new SluiceError(
    `${path}: the database is closed to further use, because a write failed${more}`,
    "close the index everywhere in this process, and open it again",
    "ERR_SLUICE_FILE",
  );
}

/** Whether LMDB may not write here. */
export function isWriteRefused(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === EROFS || code === EACCES;
}

/** Whether LMDB has no table of that name. */
export function isTableMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === NOT_FOUND;
}
