// Whether the words of an index can be completed and corrected: its terms are words, not pieces of words or given weights.

import type { IndexAnswer } from "../../src/schemas/index.ts";

export function hasWords(index: IndexAnswer | undefined): boolean {
  return index !== undefined && index.lexical === "bm25" && index.analyzer !== "wordpiece";
}
