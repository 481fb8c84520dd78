// CSV → documents, streamed. The first record names the fields. A byte order mark is skipped.

import type { FileDocument } from "../../documents/document.ts";
import { abridge, SluiceError } from "../../support/errors/sluice-error.ts";
import { type FileSource, sourceName } from "../../support/files/source.ts";
import { decodeText, type OnBytes } from "../../support/files/text-file.ts";
import { type FieldNames, toDocument } from "../stream/line-documents.ts";
import { readRecords } from "./csv-records.ts";

/** Fields that stay texts, even if they look like numbers. */
const TEXTS = ["id", "title", "text"];

/** The documents of a file, one for each record. Cells that are numbers become numbers; empty cells are left out. */
export async function* readCsv(
  source: FileSource,
  {
    delimiter = ",",
    onBytes,
    ...names
  }: FieldNames & { delimiter?: string; onBytes?: OnBytes | undefined } = {},
): AsyncGenerator<FileDocument> {
  const path = sourceName(source);
  let header: readonly string[] | undefined;
  for await (const { fields, line } of readRecords(decodeText(source, onBytes), path, delimiter)) {
    const where = `${path}:${line}`;
    if (!header) {
      header = checkHeader(fields, where);
      continue;
    }
    if (fields.length !== header.length) {
      throw new SluiceError(
        `${where}: ${fields.length} fields, the header has ${header.length}`,
        "a field with a comma or a line end in it goes into quotes",
      );
    }
    // Without a prototype: a column may be called __proto__.
    const row: Record<string, unknown> = Object.create(null);
    for (const [i, name] of header.entries()) row[name] = fields[i] === "" ? null : fields[i];
    const document = toDocument(row, where, names);
    yield Object.fromEntries(
      Object.entries(document).flatMap(([name, value]) => {
        if (value === null) return [];
        return [[name, TEXTS.includes(name) ? value : cell(value as string)]];
      }),
    ) as unknown as FileDocument;
  }
}

function checkHeader(names: readonly string[], where: string): readonly string[] {
  const trimmed = names.map((name) => name.trim());
  const other = trimmed.length === 1 && /[;\t|]/.exec(trimmed[0])?.[0];
  if (other) {
    throw new SluiceError(
      `${where}: the header is one field, ${JSON.stringify(abridge(trimmed[0]))}`,
      (nameOf) => `if fields are separated by ${JSON.stringify(other)}, say so with ${nameOf("delimiter")}`,
    );
  }
  for (const [i, name] of trimmed.entries()) {
    if (name === "") throw new SluiceError(`${where}: the header has no name for column ${i + 1}`);
    if (trimmed.indexOf(name) !== i) {
      throw new SluiceError(`${where}: the header names ${JSON.stringify(name)} twice`);
    }
  }
  return trimmed;
}

/** A number, if writing the number gives the same text: 007 and 1e3 stay texts. */
function cell(text: string): string | number {
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
}
