// An id of Hugging Face ("owner/name") → a folder with the model, downloaded once into a cache.

import { rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { makeFolders } from "../../support/files/make-folders.ts";
import { isThere } from "./is-there.ts";

/** Where each file may be in a repository. The graph often has its own folder. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  "tokenizer.json": ["tokenizer.json"],
  "sluice.json": ["sluice.json"],
  "model.onnx": ["model.onnx", "onnx/model.onnx"],
};
const OPTIONAL = ["sluice.json"];
const HUB_ID = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

/** Whether a name has the form of an id. */
export function isHubId(name: string): boolean {
  return HUB_ID.test(name) && !name.includes("..");
}

/** Downloads what the cache does not have. */
export async function downloadFolder(
  name: string,
  cache = join(homedir(), ".cache", "sluice", "models"),
): Promise<string> {
  const folder = join(cache, name.replace("/", "--"));
  if (await isThere(join(folder, "model.onnx"))) return folder;
  await makeFolders(folder);
  for (const [file, places] of Object.entries(FILES)) {
    if (await isThere(join(folder, file))) continue;
    const bytes = await fetchFirstFound(name, places, OPTIONAL.includes(file));
    if (bytes) await writeWhole(join(folder, file), bytes);
  }
  return folder;
}

/** Fetches a file of a repository from the first of these places that has it; undefined if none has, and it is optional. */
async function fetchFirstFound(
  id: string,
  places: readonly string[],
  isOptional: boolean,
): Promise<Uint8Array | undefined> {
  for (const place of places) {
    let response: Response;
    try {
      response = await fetch(`https://huggingface.co/${id}/resolve/main/${place}`);
    } catch (error) {
      const cause = (error as Error).cause as Error | undefined;
      throw new SluiceError(
        `${id}: no such folder, and it cannot be fetched from Hugging Face: ${cause?.message ?? (error as Error).message}`,
        "without a network, give a folder with model.onnx, tokenizer.json and sluice.json",
        "ERR_SLUICE_FILE",
      );
    }
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    if (response.status !== 404)
      throw new SluiceError(
        `${id}: Hugging Face answers ${response.status} for ${place}`,
        undefined,
        "ERR_SLUICE_FILE",
      );
  }
  if (isOptional) return undefined;
  throw new SluiceError(
    `${id}: the repository has no ${places.join(" and no ")}`,
    "export the model to ONNX first",
    "ERR_SLUICE_FILE",
  );
}

/** Writes a file under a temporary name, then renames it: an interrupted download leaves no file that looks complete. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
