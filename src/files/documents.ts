// Files of documents and of queries → one object after another. An object a line (BEIR, or anyone's JSON Lines), or
// id TAB text (MS MARCO); plain or gzip.

import type { Document } from "../document.ts";
import { UsageError } from "../errors.ts";
import { type Line, lines, parseObject, textField } from "./lines.ts";

const ID_FIELDS = ["_id", "id", "docid", "qid"];
const TEXT_FIELDS = ["text", "contents", "body"];

export interface ReadOptions {
  /** False: an id may come twice, or whoever takes the documents looks; nothing is remembered of those that went by. */
  unique?: boolean;
}

/** The documents of a file. Fields beyond id, title and text are kept. An id that comes twice is refused. */
export async function* readDocuments(
  path: string,
  { unique = true }: ReadOptions = {},
): AsyncGenerator<Document> {
  const seen = new Set<string>();
  for await (const line of lines(path)) {
    const document = isObject(line) ? documentOf(line) : pairOf(line);
    if (unique) {
      if (seen.has(document.id)) {
        throw new UsageError(`${line.where}: the id ${JSON.stringify(document.id)} stood before`);
      }
      seen.add(document.id);
    }
    yield document;
  }
}

/** A question of a file of queries. */
export interface TextQuery {
  readonly id: string;
  readonly text: string;
}

/** The queries of a file, in its order. */
export async function* readQueries(path: string): AsyncGenerator<TextQuery> {
  for await (const { id, text = "" } of readDocuments(path)) yield { id, text };
}

export function isObject({ text }: Line): boolean {
  return text.trimStart().startsWith("{");
}

function documentOf(line: Line): Document {
  const fields = parseObject(line);
  const id = textField(fields, ID_FIELDS, line.where);
  const textName = TEXT_FIELDS.find((name) => fields[name] !== undefined && fields[name] !== null);
  if (textName === undefined && typeof fields.title !== "string") {
    throw new UsageError(
      `${line.where}: no ${TEXT_FIELDS.map((name) => `"${name}"`).join(", ")} or "title"`,
      'give each line an id and a text: {"id": "1", "text": "…"}',
    );
  }
  for (const name of [textName, "title"]) {
    const value = name === undefined ? undefined : fields[name];
    if (value !== undefined && value !== null && typeof value !== "string") {
      throw new UsageError(`${line.where}: "${name}" is a ${typeof value}, expected a text`);
    }
  }
  const rest = Object.entries(fields).filter(([name]) => !ID_FIELDS.includes(name) && name !== textName);
  return { ...Object.fromEntries(rest), id, ...(textName && { text: fields[textName] as string }) };
}

function pairOf(line: Line): Document {
  const [id, text] = twoFields(line);
  return { id, text };
}

/** `id TAB text`, exactly. */
export function twoFields(line: Line): [string, string] {
  const fields = line.text.replace(/(\t[^\t]*)\t\s*$/, "$1").split("\t");
  if (fields.length !== 2 || fields[0].trim() === "") {
    throw new UsageError(
      `${line.where}: ${fields.length} tab-separated fields, expected an id and a text`,
      "lines are id TAB text, or JSON objects",
    );
  }
  return [fields[0].trim(), fields[1].trim()];
}
