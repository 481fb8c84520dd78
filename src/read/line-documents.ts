// Files of documents and of queries → one object after another. An object a line (BEIR, or anyone's JSON Lines), or
// id TAB text (MS MARCO); plain or gzip.

import type { ReadDocument } from "../documents/document.ts";
import { UsageError } from "../errors.ts";
import { type Line, lines, type OnBytes, parseObject, textField } from "./lines.ts";
import type { FileSource } from "./source.ts";

export const ID_FIELDS = ["_id", "id", "docid", "qid"];
const TEXT_FIELDS = ["text", "contents", "body"];

/** Which fields hold what, where they do not have one of the usual names. */
export interface FieldNames {
  id?: string;
  text?: string;
  title?: string;
}

export interface ReadOptions extends FieldNames {
  /** False: an id may come twice, or whoever takes the documents looks; nothing is remembered of those that went by. */
  unique?: boolean;
  /** Told of every piece that is read, with its bytes as they are on the disk. */
  onBytes?: OnBytes | undefined;
}

/** The documents of a file. Fields beyond id, title and text are kept. An id that comes twice is refused. */
export async function* readDocuments(
  source: FileSource,
  { unique = true, onBytes, ...names }: ReadOptions = {},
): AsyncGenerator<ReadDocument> {
  const seen = new Set<string>();
  for await (const line of lines(source, { onBytes })) {
    const document = isObject(line) ? documentOf(parseObject(line), line.where, names) : pairOf(line);
    if (unique) {
      if (seen.has(document.id)) {
        throw new UsageError(`${line.where}: the id ${JSON.stringify(document.id)} stood before`);
      }
      seen.add(document.id);
    }
    yield document;
  }
}

export function isObject({ text }: Line): boolean {
  return text.trimStart().startsWith("{");
}

/** The fields of a line or a row as a document: its id, title and text found, the rest kept. */
export function documentOf(
  fields: Readonly<Record<string, unknown>>,
  where: string,
  names: FieldNames = {},
): ReadDocument {
  const id = textField(fields, names.id === undefined ? ID_FIELDS : [names.id], where);
  const textName = fieldOf(fields, names.text, TEXT_FIELDS, where);
  const titleName = fieldOf(fields, names.title, ["title"], where);
  if (textName === undefined && typeof fields[titleName ?? ""] !== "string") {
    throw new UsageError(
      `${where}: no ${TEXT_FIELDS.map((name) => `"${name}"`).join(", ")} or "title"`,
      'give each document an id and a text: {"id": "1", "text": "…"}',
    );
  }
  const taken = [textName, ...(names.id === undefined ? ID_FIELDS : ["id", names.id])];
  if (names.text !== undefined) taken.push("text"); // a document has one text: a field of that name makes room
  if (names.title !== undefined) taken.push("title", titleName);
  const rest = Object.entries(fields).filter(([name]) => !taken.includes(name));
  return {
    ...Object.fromEntries(rest),
    id,
    ...(textName && { text: fields[textName] as string }),
    ...(titleName && { title: fields[titleName] as string }),
  };
}

/** The name of the field that holds a text: the one that was named, or the first of the usual ones that is there. */
function fieldOf(
  fields: Readonly<Record<string, unknown>>,
  named: string | undefined,
  usual: readonly string[],
  where: string,
): string | undefined {
  if (named !== undefined && !Object.hasOwn(fields, named)) {
    const there = Object.keys(fields).map((name) => JSON.stringify(name));
    throw new UsageError(`${where}: no ${JSON.stringify(named)}`, `there are: ${there.join(", ")}`);
  }
  const isThere = (name: string) => fields[name] !== undefined && fields[name] !== null;
  const name = (named === undefined ? usual : [named]).find(isThere);
  if (name !== undefined && typeof fields[name] !== "string") {
    throw new UsageError(`${where}: "${name}" is a ${typeof fields[name]}, expected a text`);
  }
  return name;
}

function pairOf(line: Line): ReadDocument {
  const [id, text] = twoFields(line);
  return { id, text };
}

/** `id TAB text`, exactly. */
export function twoFields(line: Line): [string, string] {
  const fields = line.text.replace(/(\t[^\t]*)\t\s*$/, "$1").split("\t");
  if (fields.length !== 2 || fields[0].trim() === "") {
    throw new UsageError(
      `${line.where}: ${fields.length} tab-separated fields, expected an id and a text`,
      line.text.startsWith("[")
        ? "lines are id TAB text, or JSON objects; a JSON array is read with --format json"
        : "lines are id TAB text, or JSON objects",
    );
  }
  return [fields[0].trim(), fields[1].trim()];
}
