// The name of an encoder → its folder, and the folder → the bytes of its files. A folder is itself; a name of this package is
// a folder in it; an id of Hugging Face ("owner/name") is downloaded once. What is missing is an error that names it.

import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { downloadFolder, isHubId } from "./download.ts";
import { isThere } from "./is-there.ts";
import { findPackagedEncoder, noEncoderError } from "./packaged-encoders.ts";

/** Where the files of an encoder are. */
export interface EncoderFiles {
  /** What an index records: the folder, or a name of this package. */
  readonly path: string;
  readonly folder: string;
  /** The file that describes the encoder. */
  readonly descriptionFile: string;
  /** Whether it is a table of word pieces, not a graph. */
  readonly isTable: boolean;
  /** Numbers of a vector, if the name says so. */
  readonly dims?: number;
}

/** The files of each kind of encoder, for hints. */
const EXPECTED =
  "an encoder is a folder with model.onnx, tokenizer.json and sluice.json, or with vectors.table, pieces.txt and sluice.json";

/** Finds an encoder. `cache` is the folder for those that are downloaded. */
export async function findEncoderFiles(name: string, cache?: string): Promise<EncoderFiles> {
  const packaged = findPackagedEncoder(name);
  if (packaged) return { ...packaged, isTable: packaged.path !== "builtin" };
  const folder = (await isFolder(name)) ? name : await downloadEncoder(name, cache);
  const isTable = await isThere(join(folder, "vectors.table"));
  if (!isTable && !(await isThere(join(folder, "model.onnx"))))
    throw new SluiceError(
      `${folder}: neither model.onnx nor vectors.table is there`,
      EXPECTED,
      "ERR_SLUICE_FILE",
    );
  return { path: folder, folder, descriptionFile: "sluice.json", isTable };
}

/** Reads a file of a model's folder. `hint` says what the folder must have. */
export async function readModelFile(folder: string, name: string, hint = EXPECTED): Promise<Buffer> {
  const path = join(folder, name);
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR")
      throw new SluiceError(`${path}: cannot be read: ${code}`, hint, "ERR_SLUICE_FILE");
    const what = (await isFolder(folder)) ? `${path}: not there` : `${folder}: no such folder`;
    throw new SluiceError(what, hint, "ERR_SLUICE_FILE");
  }
}

async function downloadEncoder(name: string, cache: string | undefined): Promise<string> {
  if (isHubId(name)) return downloadFolder(name, cache);
  if (await isThere(name))
    throw new SluiceError(`${name}: a file, expected a folder`, EXPECTED, "ERR_SLUICE_FILE");
  // A word without a slash is a name; with one, it is a folder.
  if (!/[/\\]/.test(name)) throw noEncoderError(name);
  throw new SluiceError(`${name}: no such folder`, EXPECTED, "ERR_SLUICE_FILE");
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
