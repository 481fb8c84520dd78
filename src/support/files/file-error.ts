// An error of the file system → a `SluiceError` in plain words that names the file.

import { SluiceError } from "../errors/sluice-error.ts";

const REASONS: Readonly<Record<string, string | undefined>> = {
  ENOENT: "no such file or folder",
  ENOTDIR: "no such file or folder",
  ELOOP: "the link leads to itself",
  EISDIR: "is a folder, expected a file",
  EACCES: "not allowed",
  EPERM: "not allowed",
  EIO: "the disk reports an error (EIO)",
  EROFS: "not allowed: the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  EEXIST: "a file of that name is in the way",
  ENOTEMPTY: "another process wrote a folder of that name meanwhile",
  ENAMETOOLONG: "the name is too long",
};

/** The error about a file that is no text: not UTF-8, or damaged where it is packed. */
export class NotTextError extends SluiceError {}

/** Does something with a file. Errors of the file system name the file. */
export async function withFileErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileError(error, path);
  }
}

/** A `SluiceError` if the caller can do something about the error; otherwise the error itself. */
export function fileError(error: unknown, path: string, more = ""): unknown {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code !== "string") return error;
  if (code.startsWith("Z_"))
    return new NotTextError(`${path}: damaged gzip data`, undefined, "ERR_SLUICE_DAMAGED");
  const reason = REASONS[code];
  return reason === undefined
    ? error
    : new SluiceError(`${path}: ${reason}${more}`, undefined, "ERR_SLUICE_FILE");
}
