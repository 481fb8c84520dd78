// Builds the index of the demo: the definitions of WordNet, in a folder next to this source file.

import { fileURLToPath } from "node:url";
import { type Progress, Sluice } from "../src/index.ts";
import { definitions } from "./wordnet.ts";

/** Relative to dist, where the compiled file runs. */
export const FOLDER = fileURLToPath(new URL("../../demo/dictionary", import.meta.url));

/** Indexes all definitions, and replaces an older index. */
export async function indexDictionary(onProgress: (progress: Progress) => void): Promise<Sluice> {
  const index = await Sluice.open(FOLDER, { overwrite: true });
  await index.add(definitions(), { onProgress });
  await index.commit({ onProgress });
  return index;
}
