// Files of documents or queries → one object after another. Each line is a JSON object (BEIR, or any JSON Lines), or
// id TAB text (MS MARCO). Plain or gzip.

import type { FileDocument } from "../../documents/document.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { parseObject } from "../../support/files/json.ts";
import { type Line, readLines } from "../../support/files/lines.ts";
import type { FileSource } from "../../support/files/source.ts";
import type { OnBytes } from "../../support/files/text-file.ts";
import { showValue } from "../../support/options/options.ts";
import { type OptionHint, readTextField } from "./text-field.ts";

export const ID_FIELDS = ["id", "_id", "docid", "qid"];
export const TEXT_FIELDS = ["text", "contents", "body"];

/** The names of the fields, if they are not the usual ones. */
export interface FieldNames {
  readonly id?: string | undefined;
  readonly text?: string | undefined;
  readonly title?: string | undefined;
}

export interface ReadOptions extends FieldNames {
  /** False: ids are not checked for duplicates, and not kept in memory. For callers that check, or allow duplicates. */
  readonly checksDuplicates?: boolean | undefined;
  /** Called after every piece that is read, with its size on the disk. */
  readonly onBytes?: OnBytes | undefined;
}

/** The documents of a file. All other fields are kept, too. Throws if an id appears twice. */
export async function* readDocuments(
  source: FileSource,
  { checksDuplicates = true, onBytes, ...names }: ReadOptions = {},
): AsyncGenerator<FileDocument> {
  const seen = new Set<string>();
  for await (const line of readLines(source, { onBytes })) {
    const document = isObjectLine(line) ? toDocument(parseObject(line), line.where, names) : parsePair(line);
    if (checksDuplicates) {
      if (seen.has(document.id)) {
        throw new SluiceError(`${line.where}: the id ${JSON.stringify(document.id)} appears twice`);
      }
      seen.add(document.id);
    }
    yield document;
  }
}

export function isObjectLine({ text }: Line): boolean {
  return text.trimStart().startsWith("{");
}

/** A document from the fields of a line or a row. It finds the id, title and text, and keeps the rest. */
export function toDocument(
  fields: Readonly<Record<string, unknown>>,
  where: string,
  names: FieldNames = {},
): FileDocument {
  const suggested = () => suggestNames(fields, names);
  const id = readTextField(fields, names.id === undefined ? ID_FIELDS : [names.id], where, suggested);
  const textName = chooseField(fields, names.text, TEXT_FIELDS, where);
  const titleName = chooseField(fields, names.title, ["title"], where);
  if (textName === undefined && typeof fields[titleName ?? ""] !== "string") {
    throw new SluiceError(
      `${where}: no ${TEXT_FIELDS.map((name) => `"${name}"`).join(", ")} or "title"`,
      suggested() ?? 'give each document an id and a text: {"id": "1", "text": "…"}',
    );
  }
  const taken = [textName, ...(names.id === undefined ? ID_FIELDS : ["id", names.id])];
  if (names.text !== undefined) taken.push("text"); // another field is the text, so a field named "text" is dropped
  if (names.title !== undefined) taken.push("title", titleName);
  const rest = Object.entries(fields).filter(([name]) => !taken.includes(name));
  return {
    ...Object.fromEntries(rest),
    id,
    ...(textName && { text: fields[textName] as string }),
    ...(titleName && { title: fields[titleName] as string }),
  };
}

/** What to write if fields have the usual names in other letters, such as ID and Text; undefined if none has. */
function suggestNames(fields: Readonly<Record<string, unknown>>, names: FieldNames): OptionHint | undefined {
  const usual = { id: ID_FIELDS, text: TEXT_FIELDS, title: ["title"] };
  const found = Object.entries(usual).flatMap(([option, known]) => {
    const isGiven = names[option as keyof FieldNames] !== undefined;
    if (isGiven || known.some((name) => Object.hasOwn(fields, name))) return [];
    const name = Object.keys(fields).find((name) => known.includes(name.toLowerCase()));
    return name === undefined ? [] : [{ option, name }];
  });
  if (found.length === 0) return undefined;
  return (nameOf) =>
    `set ${found.map(({ option, name }) => `${nameOf(option)} to ${JSON.stringify(name)}`).join(" and ")}`;
}

/** The field to take: the one the caller named, or the first of the usual ones that the document has. */
function chooseField(
  fields: Readonly<Record<string, unknown>>,
  named: string | undefined,
  usual: readonly string[],
  where: string,
): string | undefined {
  if (named !== undefined && !Object.hasOwn(fields, named)) {
    const there = Object.keys(fields).map((name) => JSON.stringify(name));
    throw new SluiceError(`${where}: no ${JSON.stringify(named)}`, `there are: ${there.join(", ")}`);
  }
  const isThere = (name: string) => fields[name] !== undefined && fields[name] !== null;
  const name = (named === undefined ? usual : [named]).find(isThere);
  if (name !== undefined && typeof fields[name] !== "string") {
    const found = typeof fields[name] === "object" ? showValue(fields[name]) : `a ${typeof fields[name]}`;
    throw new SluiceError(`${where}: "${name}" is ${found}, expected a text`);
  }
  return name;
}

function parsePair(line: Line): FileDocument {
  const [id, text] = splitTwoFields(line);
  return { id, text };
}

/** `id TAB text`, exactly. */
export function splitTwoFields(line: Line): [string, string] {
  const fields = line.text.replace(/(\t[^\t]*)\t\s*$/, "$1").split("\t");
  if (fields.length !== 2 || fields[0].trim() === "") {
    throw new SluiceError(
      `${line.where}: ${fields.length} tab-separated fields, expected an id and a text`,
      line.text.startsWith("[")
        ? (nameOf) =>
            `lines are id TAB text, or JSON objects; to read a JSON array, set ${nameOf("format")} to json`
        : "lines are id TAB text, or JSON objects",
    );
  }
  return [fields[0].trim(), fields[1].trim()];
}
