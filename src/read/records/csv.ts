// CSV → documents, streamed. It reads RFC 4180 and what spreadsheets write: fields may be quoted; quoted fields may hold
// delimiters, line ends and doubled quotes; lines end in \n, \r\n or \r; a byte order mark is skipped. The first record
// names the fields.

import type { FileDocument } from "../../documents/document.ts";
import { abridge, UsageError } from "../../support/errors/usage-error.ts";
import { type FileSource, sourceName } from "../../support/files/source.ts";
import { decodeText, type OnBytes } from "../../support/files/text-file.ts";
import { type FieldNames, toDocument } from "../stream/line-documents.ts";

/** One record, and the line it begins on. */
interface CsvRecord {
  readonly fields: readonly string[];
  readonly line: number;
}

/** Fields that stay texts, even if they look like numbers. */
const TEXTS = ["id", "title", "text"];
/** The most characters of a field. A longer one is taken for a quote that was never closed. */
const LONGEST_FIELD = 1 << 26;

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
      throw new UsageError(
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

/** The records of CSV text that comes in chunks. Empty lines are skipped. */
export async function* readRecords(
  chunks: AsyncIterable<string> | Iterable<string>,
  path: string,
  delimiter = ",",
): AsyncGenerator<CsvRecord> {
  if (delimiter.length !== 1 || '"\r\n'.includes(delimiter)) {
    throw new UsageError(`a delimiter is one character, not ${JSON.stringify(delimiter)}`);
  }
  let state: "start" | "plain" | "quoted" | "closed" = "start"; // of the field; closed: after its last quote
  let field = "";
  let fields: string[] = [];
  let [line, begins] = [1, 1];
  let afterReturn = false; // \r\n is one line end, even if a chunk ends between the two
  const special = new RegExp(`[${delimiter.replace(/[\\\]^-]/, "\\$&")}"\r\n]`, "g");

  for await (const chunk of chunks) {
    let at = 0;
    while (at < chunk.length) {
      if (afterReturn) {
        afterReturn = false;
        if (chunk[at] === "\n") {
          at++;
          if (state === "quoted") field += "\n";
          continue;
        }
      }
      // Everything up to the next character that means something belongs to the field.
      special.lastIndex = at;
      const next = special.exec(chunk)?.index ?? chunk.length;
      if (next > at) {
        if (state === "closed") throw new UsageError(`${path}:${line}: text after a closing quote`);
        if (state === "start") state = "plain";
        field += chunk.slice(at, next);
        if (field.length > LONGEST_FIELD) throw unclosedQuoteError(path, begins);
        at = next;
        continue;
      }
      const character = chunk[at++];
      if (character === '"') {
        if (state === "start") state = "quoted";
        else if (state === "quoted") state = "closed";
        else if (state === "closed") {
          state = "quoted";
          field += '"';
        } else field += '"'; // a quote inside a plain field is an ordinary character: 6" nails
      } else if (state === "quoted") {
        field += character;
        if (character !== delimiter) line++;
        afterReturn = character === "\r";
      } else if (character === delimiter) {
        fields.push(field);
        [field, state] = ["", "start"];
      } else {
        afterReturn = character === "\r";
        if (fields.length > 0 || state !== "start") yield { fields: [...fields, field], line: begins };
        [field, fields, state] = ["", [], "start"];
        begins = ++line;
      }
    }
  }
  if (state === "quoted") throw unclosedQuoteError(path, begins);
  if (fields.length > 0 || state !== "start") yield { fields: [...fields, field], line: begins };
}

function unclosedQuoteError(path: string, line: number): UsageError {
  return new UsageError(
    `${path}:${line}: a quoted field of this record never ends`,
    'a quote inside quotes is written twice: "a ""quoted"" word"',
  );
}

function checkHeader(names: readonly string[], where: string): readonly string[] {
  const trimmed = names.map((name) => name.trim());
  const other = trimmed.length === 1 && /[;\t|]/.exec(trimmed[0])?.[0];
  if (other) {
    throw new UsageError(
      `${where}: the header is one field, ${JSON.stringify(abridge(trimmed[0]))}`,
      (nameOf) => `if fields are separated by ${JSON.stringify(other)}, say so with ${nameOf("delimiter")}`,
    );
  }
  for (const [i, name] of trimmed.entries()) {
    if (name === "") throw new UsageError(`${where}: the header has no name for column ${i + 1}`);
    if (trimmed.indexOf(name) !== i) {
      throw new UsageError(`${where}: the header names ${JSON.stringify(name)} twice`);
    }
  }
  return trimmed;
}

/** A number, if writing the number gives the same text: 007 and 1e3 stay texts. */
function cell(text: string): string | number {
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
}
