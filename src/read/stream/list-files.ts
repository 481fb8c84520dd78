// A path → the files that it means.

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { withFileErrors } from "../../support/files/file-error.ts";

/** The files of a folder that have one of these endings, in name order. If `path` is a file, the file itself. */
export async function listFiles(path: string, endings: readonly string[]): Promise<string[]> {
  const found = await statPath(path);
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => endings.some((ending) => name.endsWith(ending)));
  if (names.length === 0) throw new SluiceError(`${path}: no file that ends in ${endings.join(", ")}`);
  return names.sort().map((name) => join(path, name));
}

export function statPath(path: string) {
  return withFileErrors(path, () => stat(path));
}
