// Reads a file of test/golden: values computed elsewhere, which our code must reproduce.

import { readFileSync } from "node:fs";

// biome-ignore lint/suspicious/noExplicitAny: the shapes are the goldens' own, and each test reads one of them
export function golden(name: string): any {
  return JSON.parse(readFileSync(new URL(`../golden/${name}`, import.meta.url), "utf8"));
}
