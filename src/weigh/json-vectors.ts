// Files of document vectors → weighted terms. The format is Anserini's JsonVectorCollection: an object a line,
// {"id", "contents", "vector": {token: weight}}, or a file with one object or an array of them; plain or gzip.

import { UsageError } from "../errors.ts";
import type { ReadOptions } from "../read/line-documents.ts";
import { filesOf, type Line, lines, parseJson, parseObject, readText, textField } from "../read/lines.ts";
import { type Bag, type BagFormat, bagOf } from "./bag.ts";

export interface DocumentVector {
  readonly id: string;
  /** The text, where the file has it. */
  readonly contents?: string;
  readonly weights: Bag;
}

/** What a folder of vectors is read for. */
export const VECTOR_FILES = [".json", ".jsonl", ".gz"];

/** The vectors of a file, or of all files of a folder in name order. An id that comes twice is refused. */
export async function* readVectors(
  path: string,
  { unique = true, ...format }: BagFormat & ReadOptions = {},
): AsyncGenerator<DocumentVector> {
  const seen = new Set<string>();
  for (const file of await filesOf(path, VECTOR_FILES)) {
    for await (const { object, where } of objects(file)) {
      const id = textField(object, ["id", "_id", "docid", "qid"], where);
      if (unique) {
        if (seen.has(id)) throw new UsageError(`${where}: the id ${JSON.stringify(id)} stood before`);
        seen.add(id);
      }
      const contents = object.contents ?? object.content ?? object.text;
      yield {
        id,
        weights: bagOf(object.vector, where, format),
        ...(typeof contents === "string" && { contents }),
      };
    }
  }
}

interface Found {
  readonly object: Record<string, unknown>;
  readonly where: string;
}

async function* objects(file: string): AsyncGenerator<Found> {
  let number = 0;
  for await (const line of lines(file)) {
    if (number++ === 0 && !isWholeObject(line)) {
      yield* documentOf(file);
      return;
    }
    yield { object: parseObject(line), where: line.where };
  }
}

/** A first line that is no object by itself begins an array, or an object printed over several lines. */
function isWholeObject({ text }: Line): boolean {
  if (!text.trimStart().startsWith("{")) return !text.trimStart().startsWith("[");
  return text.trim() !== "{" && text.trimEnd().endsWith("}");
}

async function* documentOf(file: string): AsyncGenerator<Found> {
  const value = parseJson(await readText(file), file);
  const list = Array.isArray(value) ? value : [value];
  for (const [i, item] of list.entries()) {
    const where = Array.isArray(value) ? `${file}: item ${i + 1}` : file;
    if (typeof item !== "object" || item === null) throw new UsageError(`${where}: expected an object`);
    yield { object: item as Record<string, unknown>, where };
  }
}
