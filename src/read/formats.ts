// Files and folders of files → documents. The ending of a name says the format, unless the caller does.

import { resolve } from "node:path";
import type { FileDocument } from "../documents/document.ts";
import { type EmptiedFile, hideEmptied } from "../documents/emptied-file.ts";
import { RESERVED_FIELDS } from "../documents/reserved-fields.ts";
import type { PassageSize } from "../passages/cut-blocks.ts";
import { cutLines } from "../passages/cut-passages.ts";
import type { FrontMatter } from "../passages/markdown.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { requireWholeGzip } from "../support/files/gzip.ts";
import { readLines } from "../support/files/lines.ts";
import { type ByteStream, checkFileSource, type FileSource, sourceName } from "../support/files/source.ts";
import type { OnBytes } from "../support/files/text-file.ts";
import {
  checkFunction,
  checkObject,
  checkOptions,
  checkText,
  type KnownOptions,
  wrongValueError,
} from "../support/options/options.ts";
import { isText, pathToName, type Skipped, walk } from "./folder.ts";
import { readCsv } from "./records/csv.ts";
import { readJson } from "./records/json-array.ts";
import { readParquet } from "./records/parquet.ts";
import { type FieldNames, readDocuments } from "./stream/line-documents.ts";
import { statPath } from "./stream/list-files.ts";
import { sniffFormat } from "./stream/sniff.ts";

export const FORMATS = ["jsonl", "json", "csv", "parquet", "markdown", "text"] as const;
export type Format = (typeof FORMATS)[number];

/**
 * The endings of names; .gz may follow. Parquet has its own compression. The reader of JSON Lines also reads lines of
 * id TAB text, so it reads .tsv, too.
 */
export const ENDINGS: Readonly<Record<Format, readonly string[]>> = {
  jsonl: [".jsonl", ".ndjson", ".tsv"],
  json: [".json"],
  csv: [".csv"],
  parquet: [".parquet"],
  markdown: [".md", ".markdown", ".mdx"],
  text: [".txt", ".text"],
};

/** The formats that are read from a folder, unless the caller names one: what people write, not the data of programs. */
const PROSE: readonly Format[] = ["markdown", "text"];

/** Whether files of this format are cut into passages. */
export function isProse(format: Format | undefined): boolean {
  return format !== undefined && PROSE.includes(format);
}

/** The most characters of a line of Markdown or text. A longer line is passed on in pieces, to save memory. */
const LONGEST_LINE = 1 << 16;

export interface FileOptions extends FieldNames {
  /** The format of the files, whatever their names say. In a folder, only files with the endings of that format are read. */
  readonly format?: Format | undefined;
  /** How long the passages are that Markdown and text are cut into. Other files are cut by the option `passages` of `add`. */
  readonly passages?: PassageSize | undefined;
  /** The character between the fields of CSV; a comma by default. */
  readonly delimiter?: string | undefined;
  /** Called for every file of a folder that is left out. */
  readonly onSkip?: ((name: string, why: Skipped) => void) | undefined;
  /** Called after every Markdown or text file, with the number of its passages. */
  readonly onRead?: ((name: string, passages: number) => void) | undefined;
  /** Called after every piece that is read, with its size on the disk. `countFileBytes` gives the total. */
  readonly onBytes?: OnBytes | undefined;
}

/** The names of the options of `readFiles`. */
const FILE_OPTIONS: KnownOptions<FileOptions> = {
  id: true,
  text: true,
  title: true,
  format: true,
  passages: true,
  delimiter: true,
  onSkip: true,
  onRead: true,
  onBytes: true,
};

/**
 * The documents of a file, or of all Markdown and text files of a folder. Each line of JSON Lines, element of a JSON array
 * (alone, or as `{"documents": […]}`) and row of CSV or Parquet is a document. Markdown and text are cut into passages: the id is
 * the path of the file, "#" and the number of the passage, as in "docs/canals.md#2"; the title is the headings above it; the field
 * `passage` says where it is from. The path begins as you give it. Of a folder with an absolute path, or with "..", it begins with
 * the folder's own name. The format of a stream is guessed from its first line, unless you name it.
 *
 * `upsert(readFiles(…))` replaces all passages of a file, and deletes those of a Markdown or text file that has no words any more.
 * If you give `upsert` a generator of your own around it, such passages stay, because the file gives no document.
 */
export function readFiles(path: FileSource, options: FileOptions = {}): AsyncGenerator<FileDocument> {
  return hideEmptied(readFilesAndEmptied(path, options));
}

/** @internal What `readFiles` returns, with the files that have no words. */
export function readFilesAndEmptied(
  path: FileSource,
  options: FileOptions,
): AsyncGenerator<FileDocument | EmptiedFile> {
  checkFileSource(path);
  checkFileOptions(options);
  return readAllFiles([path], options);
}

function checkFileOptions(options: FileOptions): void {
  checkOptions(options, FILE_OPTIONS, "readFiles");
  const { format, passages } = options;
  if (format !== undefined && !FORMATS.includes(format))
    throw wrongValueError("format", `one of ${FORMATS.join(", ")}`, format);
  checkObject("passages", passages);
  for (const name of ["id", "text", "title", "delimiter"] as const)
    if (options[name] !== undefined) checkText(name, options[name]);
  for (const name of ["onSkip", "onRead", "onBytes"] as const) checkFunction(name, options[name]);
}

/** @internal The documents of several files and folders. Throws if passages of two files would have the same ids. */
export async function* readAllFiles(
  sources: readonly FileSource[],
  options: FileOptions,
): AsyncGenerator<FileDocument | EmptiedFile> {
  const named: NamedFiles = new Map();
  for (const source of sources) {
    if (typeof source === "string") yield* readPath(source, options, named);
    else yield* readStream(source, options, named);
  }
}

/** The paths of the files whose passages have ids, by the name that the ids begin with. */
type NamedFiles = Map<string, string>;

async function* readPath(
  path: string,
  options: FileOptions,
  named: NamedFiles,
): AsyncGenerator<FileDocument | EmptiedFile> {
  if (!(await statPath(path)).isDirectory()) {
    const format = options.format ?? chooseFormat(path);
    if (format === undefined) {
      throw new SluiceError(
        `${path}: unknown file ending, expected ${FORMATS.flatMap((one) => ENDINGS[one]).join(", ")}`,
        (nameOf) => `name its format with ${nameOf("format")}: ${FORMATS.join(", ")}`,
      );
    }
    if (isProse(format) && !(await isText(path))) throw new SluiceError(`${path}: not UTF-8 text`);
    yield* readFile({ source: path, name: pathToName(path) }, format, options, named);
    return;
  }
  const { onSkip = () => {} } = options;
  const wanted: readonly Format[] = options.format ? [options.format] : PROSE;
  const others = new Map<Format, number>();
  let found = 0;
  for await (const file of walk(path, onSkip)) {
    const format = chooseFormat(file.name);
    if (format === undefined || !wanted.includes(format)) {
      if (format !== undefined) others.set(format, (others.get(format) ?? 0) + 1);
      onSkip(file.name, "other");
    } else if (isProse(format) && !(await isText(file.path))) {
      onSkip(file.name, "binary");
    } else {
      found++;
      yield* readFile({ source: file.path, name: file.name }, format, options, named);
    }
  }
  if (found === 0) {
    const [other] = [...others].sort(([, a], [, b]) => b - a);
    throw new SluiceError(
      `${path}: no file that ends in ${wanted.flatMap((format) => ENDINGS[format]).join(", ")}`,
      other &&
        ((nameOf) =>
          `set ${nameOf("format")} to ${other[0]} to read the ${other[1]} files that end in ${ENDINGS[other[0]][0]}`),
    );
  }
}

async function* readStream(
  stream: ByteStream,
  options: FileOptions,
  named: NamedFiles,
): AsyncGenerator<FileDocument | EmptiedFile> {
  const { format, id, delimiter } = options;
  if (format !== undefined || delimiter !== undefined) {
    yield* readFile({ source: stream, name: stream.name }, format ?? "csv", options, named);
    return;
  }
  const found = await sniffFormat(stream, id);
  const all = found.format === "csv" ? { ...options, delimiter: found.delimiter } : options;
  yield* readFile({ source: found.stream, name: stream.name }, found.format, all, named);
}

/** The size of the files that `readFiles` reads, in bytes; undefined for a stream. */
export async function countFileBytes(
  path: FileSource,
  { format }: Pick<FileOptions, "format"> = {},
): Promise<number | undefined> {
  if (typeof path !== "string") return undefined;
  const found = await statPath(path);
  if (!found.isDirectory()) return found.isFile() ? found.size : undefined;
  const wanted: readonly Format[] = format ? [format] : PROSE;
  let bytes = 0;
  for await (const file of walk(path, () => {}))
    if (wanted.includes(chooseFormat(file.name)!)) bytes += (await statPath(file.path)).size;
  return bytes;
}

/** The format that the ending of a name says. */
export function chooseFormat(name: string): Format | undefined {
  const plain = name.toLowerCase().replace(/\.gz$/, "");
  return FORMATS.find((format) => ENDINGS[format].some((ending) => plain.endsWith(ending)));
}

interface OpenedFile {
  readonly source: FileSource;
  readonly name: string;
}

async function* readFile(
  file: OpenedFile,
  format: Format,
  options: FileOptions,
  named: NamedFiles,
): AsyncGenerator<FileDocument | EmptiedFile> {
  try {
    yield* readWhole(file, format, options, named);
  } catch (error) {
    // Damaged gzip data may unpack to wrong text long before its checksum says so.
    if (error instanceof SluiceError && typeof file.source === "string") await requireWholeGzip(file.source);
    throw error;
  }
}

function readWhole(
  file: OpenedFile,
  format: Format,
  options: FileOptions,
  named: NamedFiles,
): AsyncGenerator<FileDocument | EmptiedFile> {
  const { id, text, title, delimiter, onBytes } = options;
  const names = {
    onBytes,
    ...(id !== undefined && { id }),
    ...(text !== undefined && { text }),
    ...(title !== undefined && { title }),
  };
  switch (format) {
    case "jsonl":
      return readDocuments(file.source, { ...names, checksDuplicates: false });
    case "json":
      return readJson(file.source, names);
    case "csv":
      return readCsv(file.source, { ...names, ...(delimiter !== undefined && { delimiter }) });
    case "parquet":
      if (typeof file.source === "string") return readParquet(file.source, names);
      throw new SluiceError(
        `${sourceName(file.source)}: Parquet is read from a file, not from a stream`,
        "a Parquet file must be read from its end; save it, and give the path",
      );
    default:
      claimName(file, named);
      return readProse(file, format, options);
  }
}

/** Throws if another file has this name already. The same file may come twice: `upsert` allows that. */
function claimName({ source, name }: OpenedFile, named: NamedFiles): void {
  const path = sourceName(source);
  const other = named.get(name);
  if (other !== undefined && resolve(other) !== resolve(path)) {
    throw new SluiceError(
      `${other} and ${path}: the ids of both would begin with ${name}#`,
      "give paths that differ, relative to a folder that holds both",
    );
  }
  named.set(name, path);
}

/** Whether front matter may set a field: not if the field has a meaning in documents, or passages fill it. */
function maySetField(field: string): boolean {
  return field !== "passage" && !RESERVED_FIELDS.has(field);
}

async function* readProse(
  { source, name }: OpenedFile,
  format: "markdown" | "text",
  { passages, onRead = () => {}, onBytes }: FileOptions,
): AsyncGenerator<FileDocument | EmptiedFile> {
  const file = {
    id: name,
    lines: readLines(source, { keepsBlank: true, longest: LONGEST_LINE, onBytes }),
    shared: ({ title, ...front }: FrontMatter) => ({
      ...(typeof title === "string" && { title }),
      fields: Object.fromEntries(Object.entries(front).filter(([field]) => maySetField(field))),
    }),
  };
  let count = 0;
  for await (const passage of cutLines(file, { ...passages, format })) {
    count++;
    yield passage;
  }
  if (count === 0) yield { emptied: name };
  onRead(name, count);
}
