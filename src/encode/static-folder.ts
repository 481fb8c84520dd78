// A static encoder in a folder with sluice.json, vectors.table and pieces.txt. "static" is the one in this package,
// models/static; "static:128" and "static:64" give shorter vectors.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "../errors.ts";
import { parseJson } from "../read/lines.ts";
import { StaticEncoder } from "./static-encoder.ts";

/** The name of the static encoder in this package. An index records the name, not a folder. */
export const STATIC = "static";
const NAME = /^static(?::(\d+))?$/;
/** What was probably meant to be such a name. */
const MISSPELLED = /^\s*static\s*(?::.*)?$/i;

/** The folder of the static encoder in this package. It is beside src, and beside dist when compiled. */
export function staticFolder(): string {
  const places = ["../../models/static", "../../../models/static"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return places.find((path) => existsSync(path)) ?? places[0];
}

/**
 * Opens a static encoder by its name or folder. Undefined if the name is another kind of encoder's. `description` is that of
 * an index; it replaces sluice.json.
 */
export async function openStatic(name: string, description?: unknown): Promise<StaticEncoder | undefined> {
  const [isName, dims] = NAME.exec(name) ?? [];
  if (!isName && MISSPELLED.test(name))
    throw new UsageError(`there is no encoder ${JSON.stringify(name)}`, "static, static:128 or static:64");
  if (!isName && !existsSync(join(name, "vectors.table"))) return undefined;
  const folder = isName ? staticFolder() : name;
  const file = async (name: string) => {
    const path = join(folder, name);
    try {
      return await readFile(path);
    } catch {
      throw new UsageError(
        `${path}: not there`,
        "a static encoder is a folder with sluice.json, vectors.table and pieces.txt",
        "ERR_SLUICE_FILE",
      );
    }
  };
  const where = join(folder, "sluice.json");
  const files = {
    description:
      description ?? parseJson((await file("sluice.json")).toString(), where, "ERR_SLUICE_DAMAGED"),
    table: await file("vectors.table"),
    pieces: (await file("pieces.txt")).toString(),
  };
  return new StaticEncoder(isName ? STATIC : folder, files, dims === undefined ? undefined : Number(dims));
}
