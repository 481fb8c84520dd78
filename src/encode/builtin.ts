// The built-in encoder, models/builtin: term weights by DeLADE, and a sentence vector. This file has its names and finds
// its folder.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The name of the built-in encoder. An index records the name, not a folder, so it works wherever the package is installed. */
export const BUILTIN = "builtin";

/** The same model, used for its vectors only. Terms are then weighed by BM25. */
export const BUILTIN_VECTORS = "builtin:vectors";

/** The file in a model's folder that describes the model. */
export function descriptionFile(name: string): string {
  return name === BUILTIN_VECTORS ? "vectors.json" : "sluice.json";
}

/** The folder of the built-in encoder. It is beside src, and beside dist when compiled. */
export function builtinFolder(): string {
  const places = ["../../models/builtin", "../../../models/builtin"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return places.find((path) => existsSync(path)) ?? places[0];
}
