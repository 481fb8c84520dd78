// The demo's index: WordNet's definitions, in a folder beside this file's source.

import { fileURLToPath } from "node:url";
import { type Progress, Sluice } from "../src/index.ts";
import { definitions } from "./wordnet.ts";

/** Seen from dist, where this runs. */
export const FOLDER = fileURLToPath(new URL("../../demo/dictionary", import.meta.url));

/** Indexes all definitions anew. */
export async function indexDictionary(onProgress: (progress: Progress) => void): Promise<Sluice> {
  const index = await Sluice.open(FOLDER, { overwrite: true });
  await index.add(definitions(), { onProgress });
  await index.commit({ onProgress });
  return index;
}
