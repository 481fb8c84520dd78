// Files of documents with term weights → bags of terms. The format is Anserini's JsonVectorCollection: one object a line,
// {"id", "contents", "vector": {token: weight}}; or a file with one object or an array of them. Plain or gzip.

import { type Bag, type BagFormat, parseBag } from "../../documents/bag.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { parseJson, parseObject } from "../../support/files/json.ts";
import { type Line, readLines } from "../../support/files/lines.ts";
import { readText } from "../../support/files/text-file.ts";
import { ID_FIELDS, type ReadOptions } from "../stream/line-documents.ts";
import { listFiles } from "../stream/list-files.ts";
import { readTextField } from "../stream/text-field.ts";

export interface WeightedText {
  readonly id: string;
  /** The text, if the file has it. */
  readonly contents?: string;
  readonly weights: Bag;
}

/** The endings of the files that are read from a folder. */
export const WEIGHT_FILES = [".json", ".jsonl", ".gz"];

/** The vectors of a file, or of all files of a folder in name order. Throws if an id appears twice. */
export async function* readTermWeights(
  path: string,
  { checksDuplicates = true, ...format }: BagFormat & ReadOptions = {},
): AsyncGenerator<WeightedText> {
  const seen = new Set<string>();
  for (const file of await listFiles(path, WEIGHT_FILES)) {
    for await (const { object, where } of readObjects(file)) {
      const id = readTextField(object, ID_FIELDS, where);
      if (checksDuplicates) {
        if (seen.has(id)) throw new SluiceError(`${where}: the id ${JSON.stringify(id)} appears twice`);
        seen.add(id);
      }
      const contents = object.contents ?? object.content ?? object.text;
      yield {
        id,
        weights: parseBag(object.vector, where, format),
        ...(typeof contents === "string" && { contents }),
      };
    }
  }
}

interface FoundObject {
  readonly object: Record<string, unknown>;
  readonly where: string;
}

async function* readObjects(file: string): AsyncGenerator<FoundObject> {
  let number = 0;
  for await (const line of readLines(file)) {
    if (number++ === 0 && !isWholeObject(line)) {
      yield* readObjectsOfJson(file);
      return;
    }
    yield { object: parseObject(line), where: line.where };
  }
}

/** Whether the first line is a whole object. If not, it begins an array, or an object on several lines. */
function isWholeObject({ text }: Line): boolean {
  if (!text.trimStart().startsWith("{")) return !text.trimStart().startsWith("[");
  return text.trim() !== "{" && text.trimEnd().endsWith("}");
}

/** The objects of a file that is one JSON value. */
async function* readObjectsOfJson(file: string): AsyncGenerator<FoundObject> {
  const value = parseJson(await readText(file), file);
  const list = Array.isArray(value) ? value : [value];
  for (const [i, item] of list.entries()) {
    const where = Array.isArray(value) ? `${file}: item ${i + 1}` : file;
    if (typeof item !== "object" || item === null) throw new SluiceError(`${where}: expected an object`);
    yield { object: item as Record<string, unknown>, where };
  }
}
