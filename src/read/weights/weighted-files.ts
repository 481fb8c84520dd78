// A file of weighted texts → bags of terms. Its first line tells whether it holds document vectors or queries.

import type { BagFormat } from "../../documents/bag.ts";
import { readLines } from "../../support/files/lines.ts";
import { isObjectLine } from "../stream/line-documents.ts";
import { listFiles } from "../stream/list-files.ts";
import { readTermWeights, WEIGHT_FILES, type WeightedText } from "./term-weight-files.ts";
import { readTopics } from "./weighted-queries.ts";

/** Weighted texts from a JsonVectorCollection, or from a TSV of repeated tokens. */
export async function* readWeighted(path: string, format: BagFormat = {}): AsyncGenerator<WeightedText> {
  if (await isTsv(path)) yield* readTopics(path, format);
  else yield* readTermWeights(path, format);
}

async function isTsv(path: string): Promise<boolean> {
  const files = await listFiles(path, WEIGHT_FILES);
  if (files[0] !== path) return false; // a folder holds document vectors
  for await (const line of readLines(path)) return line.text.includes("\t") && !isObjectLine(line);
  return false;
}
