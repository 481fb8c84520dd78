// Files of queries → one after another: an object each with an id and a text, or id TAB text.

import type { ReadDocument } from "../documents/document.ts";
import { UsageError } from "../errors.ts";
import { readCsv } from "./csv.ts";
import { readJson } from "./json-array.ts";
import { readDocuments } from "./line-documents.ts";
import { sniffed } from "./sniff.ts";
import { type FileSource, nameOf } from "./source.ts";

/** A question of a file of queries. */
export interface TextQuery {
  readonly id: string;
  readonly text: string;
}

/** The queries of a file, in its order. An id that comes twice is refused. */
export async function* readQueries(source: FileSource): AsyncGenerator<TextQuery> {
  const seen = new Set<string>();
  for await (const { id, text = "" } of await rows(source)) {
    if (seen.has(id))
      throw new UsageError(
        `${nameOf(source)}: the id ${JSON.stringify(id)} stood before, at query ${seen.size + 1}`,
      );
    seen.add(id);
    yield { id, text };
  }
}

async function rows(source: FileSource): Promise<AsyncGenerator<ReadDocument>> {
  if (typeof source === "string")
    return /\.json(\.gz)?$/i.test(source) ? readJson(source) : readDocuments(source);
  const found = await sniffed(source);
  if (found.format === "parquet") throw new UsageError(`${source.name}: queries are not read from Parquet`);
  if (found.format === "csv") return readCsv(found.stream, { delimiter: found.delimiter });
  return found.format === "json" ? readJson(found.stream) : readDocuments(found.stream);
}
