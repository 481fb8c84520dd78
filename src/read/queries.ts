// A file of queries → one query after another. Each is an object with an id and a text, or a line of id TAB text.

import type { FileDocument } from "../documents/document.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { type FileSource, sourceName } from "../support/files/source.ts";
import { readCsv } from "./records/csv.ts";
import { readJson } from "./records/json-array.ts";
import { readDocuments } from "./stream/line-documents.ts";
import { sniffFormat } from "./stream/sniff.ts";

/** A query of a file. */
export interface TextQuery {
  readonly id: string;
  readonly text: string;
}

/** The queries of a file, in its order. Throws if an id appears twice. */
export async function* readQueries(source: FileSource): AsyncGenerator<TextQuery> {
  const seen = new Set<string>();
  for await (const { id, text = "" } of await readQueryRecords(source)) {
    if (seen.has(id))
      throw new SluiceError(
        `${sourceName(source)}: the id ${JSON.stringify(id)} appears twice, the second time at query ${seen.size + 1}`,
      );
    seen.add(id);
    yield { id, text };
  }
}

async function readQueryRecords(source: FileSource): Promise<AsyncGenerator<FileDocument>> {
  if (typeof source === "string")
    return /\.json(\.gz)?$/i.test(source) ? readJson(source) : readDocuments(source);
  const found = await sniffFormat(source);
  if (found.format === "parquet") throw new SluiceError(`${source.name}: queries are not read from Parquet`);
  if (found.format === "csv") return readCsv(found.stream, { delimiter: found.delimiter });
  return found.format === "json" ? readJson(found.stream) : readDocuments(found.stream);
}
