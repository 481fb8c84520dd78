// Locks of the operating system on files, by descriptor. The system releases a lock when its process ends, however it ends.

import { fstatSync, statSync } from "node:fs";
import { missingPackageError } from "../../support/environment/packages.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { fileError } from "../../support/files/file-error.ts";

/** Locks a file for a descriptor. Returns false, and locks nothing, if another descriptor has it locked. */
export type TryLock = (fd: number, offset?: number, length?: number) => boolean;

export async function loadTryLock(): Promise<TryLock> {
  try {
    return (await import("fs-native-extensions")).tryLock;
  } catch (error) {
    throw missingPackageError("fs-native-extensions", "an index in a folder needs", error);
  }
}

/** Whether a descriptor and a path are the same file: the file may have been removed or replaced since it was opened. */
export function isSameFile(fd: number, path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false, bigint: true });
  const { ino, dev } = fstatSync(fd, { bigint: true });
  return there?.ino === ino && there.dev === dev;
}

/** The error if a file cannot be locked. */
export function lockError(error: unknown, path: string): unknown {
  const { code } = error as { code?: unknown };
  if (code !== "ENOLCK" && code !== "ENOTSUP" && code !== "EOPNOTSUPP" && code !== "ENOSYS") {
    return fileError(error, path);
  }
  return new SluiceError(
    `${path}: this disk has no file locks (${code}), and without them two processes could damage the index`,
    "put the index on another disk",
    "ERR_SLUICE_FILE",
  );
}
