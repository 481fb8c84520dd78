// JSON → documents: the objects of an array, or objects one after another. Plain or gzip, streamed.

import type { FileDocument } from "../../documents/document.ts";
import { parseJson } from "../../support/files/json.ts";
import { type FileSource, sourceName } from "../../support/files/source.ts";
import { decodeText } from "../../support/files/text-file.ts";
import { type ReadOptions, toDocument } from "../stream/line-documents.ts";
import { readJsonElements } from "./json-values.ts";

/** The documents of a file. Fields beyond id, title and text are kept. */
export async function* readJson(
  source: FileSource,
  { onBytes, ...names }: Omit<ReadOptions, "checksDuplicates"> = {},
): AsyncGenerator<FileDocument> {
  for await (const { text, where } of readJsonElements(decodeText(source, onBytes), sourceName(source)))
    yield toDocument(parseJson(text, where) as Record<string, unknown>, where, names);
}
