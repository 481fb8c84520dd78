// Defines a bench, and finds its data.

import { existsSync } from "node:fs";
import { join } from "node:path";

export interface Bench {
  readonly name: string;
  /** What it measures, on what data, and what it leaves out. */
  readonly about: string;
  /** Prints Markdown as it goes. */
  run(print: (text: string) => void): Promise<void>;
}

/** Returns the path of a file or folder in SLUICE_DATA. Throws if it does not exist. */
export function dataPath(...names: string[]): string {
  const root = process.env.SLUICE_DATA;
  if (!root)
    throw new Error("SLUICE_DATA is not set: it names the folder with collections, topics and models");
  const path = join(root, ...names);
  if (!existsSync(path)) throw new Error(`${path}: no such file or folder`);
  return path;
}
