// The beginning of a CSV file → its columns by each delimiter, and what the columns probably are, so that a person can choose.

import { readRecords } from "../../src/read/records/csv-records.ts";
import type { UploadColumns } from "../api/calls.ts";

/** The characters that may stand between fields, and their names. */
export const DELIMITERS: Readonly<Record<string, string>> = {
  ",": "comma",
  ";": "semicolon",
  "\t": "tab",
  "|": "vertical bar",
};
/** The bytes of a file that are looked at. */
const HEAD_BYTES = 1 << 16;
/** The records after the header that are looked at. */
const MOST_ROWS = 20;
/** Names that the columns of an id and of a text often have. */
const ID_NAMES = ["id", "_id", "docid", "key", "nr", "no", "sku"];
const TEXT_NAMES = ["text", "contents", "body", "description", "abstract"];

/** The first records of a file, the header included, by the delimiter. */
export type CsvTables = Readonly<Record<string, readonly (readonly string[])[]>>;

export const isCsv = ({ name }: File): boolean => /\.csv(\.gz)?$/i.test(name);

/** The tables that the beginning of a file may be. */
export async function readTables(file: File): Promise<CsvTables> {
  const head = await readHead(file);
  const tables: Record<string, string[][]> = {};
  for (const delimiter of Object.keys(DELIMITERS)) tables[delimiter] = await readRows(head, delimiter);
  return tables;
}

async function readHead(file: File): Promise<string> {
  const whole = file.stream();
  const isPacked = file.name.toLowerCase().endsWith(".gz");
  const reader = (isPacked ? whole.pipeThrough(new DecompressionStream("gzip")) : whole).getReader();
  const decoder = new TextDecoder();
  let head = "";
  while (head.length < HEAD_BYTES) {
    const { done, value } = await reader.read();
    if (done) return head;
    head += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return head.slice(0, head.lastIndexOf("\n") + 1); // the last line may be cut
}

async function readRows(head: string, delimiter: string): Promise<string[][]> {
  const rows: string[][] = [];
  try {
    for await (const { fields } of readRecords([head], "", delimiter)) {
      rows.push(fields.map((field) => field.trim()));
      if (rows.length > MOST_ROWS) break;
    }
  } catch {
    // The head may end within quotes. What was read until then will do.
  }
  return rows;
}

/** The names of the columns. */
export function columnsOf([header = []]: CsvTables[string]): string[] {
  return [...new Set(header)].filter((name) => name !== "");
}

/** The delimiter that gives the most columns. */
export function likelyDelimiter(tables: CsvTables): string {
  const columns = (delimiter: string) => columnsOf(tables[delimiter]).length;
  return Object.keys(tables).reduce((best, one) => (columns(one) > columns(best) ? one : best));
}

/** What the columns of a table probably are: by their names, else by what is in them. */
export function likelyColumns(
  rows: CsvTables[string],
): Required<Pick<UploadColumns, "id" | "title" | "text">> {
  const columns = columnsOf(rows);
  const named = (names: readonly string[]) => columns.find((name) => names.includes(name.toLowerCase()));
  const valuesOf = (name: string) => rows.slice(1).map((row) => row[rows[0].indexOf(name)] ?? "");
  const isKey = (name: string) => {
    const values = valuesOf(name);
    return new Set(values).size === values.length && !values.includes("");
  };
  const lengthOf = (name: string) => valuesOf(name).reduce((sum, value) => sum + value.length, 0);
  const id = named(ID_NAMES) ?? columns.find(isKey) ?? columns[0] ?? "";
  const title = named(["title"]) ?? "";
  const others = columns.filter((name) => name !== id && name !== title);
  const longest = others.reduce((best, one) => (lengthOf(one) > lengthOf(best) ? one : best), others[0]);
  return { id, title, text: named(TEXT_NAMES) ?? longest ?? id };
}
