// Finds the collections that some tests and benches read, in the folder that SLUICE_DATA names.

import { existsSync } from "node:fs";
import { join } from "node:path";

const root = process.env.SLUICE_DATA;

/** Why the data cannot be read here; undefined if it can. */
export const noData: string | undefined =
  root === undefined
    ? "SLUICE_DATA is not set: it names the folder with collections, topics and models"
    : existsSync(root)
      ? undefined
      : `SLUICE_DATA names ${root}, which is not there`;

export function dataPath(...names: string[]): string {
  return join(root ?? "", ...names);
}
