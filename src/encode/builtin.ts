// The model that comes with the package: DeLADE and a sentence vector, from models/builtin.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What it is called, in place of a folder. An index remembers this name, so that it works wherever the package is. */
export const BUILTIN = "builtin";

/** The same model, of which the vectors are taken alone: words are then weighed by BM25. */
export const BUILTIN_VECTORS = "builtin:vectors";

/** Which file of a model's folder says what it is. */
export function descriptionFile(name: string): string {
  return name === BUILTIN_VECTORS ? "vectors.json" : "sluice.json";
}

/** The folder stands beside src, and beside dist when this is compiled. */
export function builtinFolder(): string {
  const places = ["../../models/builtin", "../../../models/builtin"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return places.find((path) => existsSync(path)) ?? places[0];
}
