// A folder → the files in it and in its subfolders, in name order, with the names that ids begin with; and which files are
// left out, and why.

import { lstat, readdir, stat } from "node:fs/promises";
import { basename, isAbsolute, join, normalize, resolve, sep } from "node:path";
import { NotTextError, withFileErrors } from "../support/files/file-error.ts";
import { decodeText } from "../support/files/text-file.ts";

/**
 * Why a file of a folder is not read:
 * - `hidden`: its name, or its folder's, begins with a dot; a hidden folder counts once
 * - `binary`: it is not UTF-8 text
 * - `other`: its ending is not one of those that are read, or it is a link to a folder
 */
export type Skipped = "hidden" | "binary" | "other";

interface FoundFile {
  readonly path: string;
  /** The name of the folder, and the path below it, with slashes on every system. */
  readonly name: string;
}

/** How many characters of a file are searched for a null character, which no text has. */
const SNIFFED = 8192;

/**
 * What a file or a folder is called in ids: its path as given, so that files of two folders differ, but without the parts
 * that mean nothing ("./docs/" is "docs"; "." is empty). A path that is absolute, or leads out of the current folder, says
 * where things are on one machine; of such a path only the last name counts.
 */
export function pathToName(path: string): string {
  const plain = normalize(path).split(sep).join("/").replace(/\/+$/, "");
  if (isAbsolute(path) || plain === ".." || plain.startsWith("../")) return basename(resolve(path));
  return plain === "." ? "" : plain;
}

/** The files of a folder. Links to files are followed; links to folders are not, because they may form a circle. */
export async function* walk(
  folder: string,
  onSkip: (name: string, why: Skipped) => void,
  folderName = pathToName(folder),
): AsyncGenerator<FoundFile> {
  const entries = await withFileErrors(folder, () => readdir(folder));
  for (const entry of entries.sort()) {
    const name = folderName === "" ? entry : `${folderName}/${entry}`;
    const path = join(folder, entry);
    if (entry.startsWith(".")) {
      onSkip(name, "hidden");
      continue;
    }
    const own = await withFileErrors(path, () => lstat(path));
    if (own.isDirectory()) {
      yield* walk(path, onSkip, name);
      continue;
    }
    const target = own.isSymbolicLink() ? await stat(path).catch(() => undefined) : own;
    if (target?.isFile()) yield { path, name };
    else onSkip(name, "other");
  }
}

/** Whether a whole file is UTF-8 text. It is read to its end first, so that no part of a binary file gets into an index. */
export async function isText(path: string): Promise<boolean> {
  let seen = 0;
  try {
    for await (const chunk of decodeText(path)) {
      if (seen < SNIFFED && chunk.slice(0, SNIFFED - seen).includes("\0")) return false;
      seen += chunk.length;
    }
    return true;
  } catch (error) {
    if (error instanceof NotTextError) return false;
    throw error;
  }
}
