// Files in any of the formats we read, and folders of them → documents. The ending of a name says what a file is, unless the
// caller does.

import { basename } from "node:path";
import type { ReadDocument } from "../documents/document.ts";
import { UsageError } from "../errors.ts";
import { type Chunking, chunks } from "./chunk.ts";
import { readCsv } from "./csv.ts";
import { isText, type Skipped, walk } from "./folder.ts";
import { readJson } from "./json-array.ts";
import { type FieldNames, readDocuments } from "./line-documents.ts";
import { lines, type OnBytes, statOf } from "./lines.ts";
import { type FrontMatter, markdownBlocks, textBlocks } from "./markdown.ts";
import { readParquet } from "./parquet.ts";
import { sniffed } from "./sniff.ts";
import { type ByteStream, type FileSource, nameOf } from "./source.ts";

export const FORMATS = ["jsonl", "json", "csv", "parquet", "markdown", "text"] as const;
export type Format = (typeof FORMATS)[number];

/** How names end, an optional .gz aside (Parquet compresses by itself). */
const ENDINGS: Readonly<Record<Format, readonly string[]>> = {
  jsonl: [".jsonl", ".ndjson", ".tsv"],
  json: [".json"],
  csv: [".csv"],
  parquet: [".parquet"],
  markdown: [".md", ".markdown", ".mdx"],
  text: [".txt", ".text"],
};

/** What is read of a folder, unless a format is asked for: what people write, not what programs keep beside it. */
const PROSE: readonly Format[] = ["markdown", "text"];

/** A line of a text without line ends is handed on in pieces of about so many characters. */
const LONGEST_LINE = 1 << 16;

export interface FileOptions extends FieldNames {
  /** What the files are, whatever their names say; of a folder, only files with that format's endings are read. */
  format?: Format;
  /** How Markdown and text are cut. */
  chunk?: Chunking;
  /** What separates the fields of CSV; a comma when left out. */
  delimiter?: string;
  /** Called for every file of a folder that is left out. */
  onSkip?: (name: string, why: Skipped) => void;
  /** Called for every Markdown or text file that was read to its end, with how many passages it has. */
  onRead?: (name: string, passages: number) => void;
  /** Told of every piece that is read, with its bytes as they are on the disk: `bytesOf` says how many there are. */
  onBytes?: OnBytes | undefined;
}

/**
 * The documents of a file, or of all Markdown and text files of a folder. Lines of JSON Lines, elements of a JSON array and
 * rows of CSV and Parquet are a document each. Markdown and text are cut into chunks: the id is the path below the folder, "#" and the number of the
 * chunk, the title the headings it stands under, and path, heading and line say where it was. A stream is what its first
 * line looks like, unless a format is given.
 */
export async function* readFiles(path: FileSource, options: FileOptions = {}): AsyncGenerator<ReadDocument> {
  if (typeof path !== "string") {
    yield* readStream(path, options);
    return;
  }
  if (!(await statOf(path)).isDirectory()) {
    const format = options.format ?? formatOf(path);
    if (format === undefined) {
      throw new UsageError(
        `${path}: its name does not say what it is; read are ${FORMATS.flatMap((one) => ENDINGS[one]).join(", ")}`,
        `say it: --format ${FORMATS.join(", ")}`,
      );
    }
    const isProse = PROSE.includes(format);
    if (isProse && !(await isText(path))) throw new UsageError(`${path}: not UTF-8 text`);
    yield* readFile({ source: path, name: basename(path) }, format, options);
    return;
  }
  const { onSkip = () => {} } = options;
  const wanted: readonly Format[] = options.format ? [options.format] : PROSE;
  const others = new Map<Format, number>();
  let found = 0;
  for await (const file of walk(path, onSkip)) {
    const format = formatOf(file.name);
    if (format === undefined || !wanted.includes(format)) {
      if (format !== undefined) others.set(format, (others.get(format) ?? 0) + 1);
      onSkip(file.name, "other");
    } else if (PROSE.includes(format) && !(await isText(file.path))) {
      onSkip(file.name, "binary");
    } else {
      found++;
      yield* readFile({ source: file.path, name: file.name }, format, options);
    }
  }
  if (found === 0) {
    const [other] = [...others].sort(([, a], [, b]) => b - a);
    throw new UsageError(
      `${path}: no file that ends in ${wanted.flatMap((format) => ENDINGS[format]).join(", ")}`,
      other && `the ${other[1]} files that end in ${ENDINGS[other[0]][0]} are read with --format ${other[0]}`,
    );
  }
}

async function* readStream(stream: ByteStream, options: FileOptions): AsyncGenerator<ReadDocument> {
  const { format, id, delimiter } = options;
  if (format !== undefined || delimiter !== undefined) {
    yield* readFile({ source: stream, name: stream.name }, format ?? "csv", options);
    return;
  }
  const found = await sniffed(stream, id);
  const all = found.format === "csv" ? { ...options, delimiter: found.delimiter } : options;
  yield* readFile({ source: found.stream, name: stream.name }, found.format, all);
}

/** Bytes of the files that `readFiles` reads; undefined where nobody knows before they are read. */
export async function bytesOf(
  path: FileSource,
  { format }: Pick<FileOptions, "format"> = {},
): Promise<number | undefined> {
  if (typeof path !== "string") return undefined;
  const found = await statOf(path);
  if (!found.isDirectory()) return found.isFile() ? found.size : undefined;
  const wanted: readonly Format[] = format ? [format] : PROSE;
  let bytes = 0;
  for await (const file of walk(path, () => {}))
    if (wanted.includes(formatOf(file.name)!)) bytes += (await statOf(file.path)).size;
  return bytes;
}

function formatOf(name: string): Format | undefined {
  const plain = name.toLowerCase().replace(/\.gz$/, "");
  return FORMATS.find((format) => ENDINGS[format].some((ending) => plain.endsWith(ending)));
}

interface OpenedFile {
  readonly source: FileSource;
  readonly name: string;
}

function readFile(file: OpenedFile, format: Format, options: FileOptions): AsyncGenerator<ReadDocument> {
  const { id, text, title, delimiter, onBytes } = options;
  const names = {
    onBytes,
    ...(id !== undefined && { id }),
    ...(text !== undefined && { text }),
    ...(title !== undefined && { title }),
  };
  switch (format) {
    case "jsonl":
      return readDocuments(file.source, { ...names, unique: false });
    case "json":
      return readJson(file.source, names);
    case "csv":
      return readCsv(file.source, { ...names, ...(delimiter !== undefined && { delimiter }) });
    case "parquet":
      if (typeof file.source === "string") return readParquet(file.source, names);
      throw new UsageError(
        `${nameOf(file.source)}: Parquet is read from a file, not from a stream`,
        "its index is at its end; save it, and give the path",
      );
    default:
      return readProse(file, format, options);
  }
}

/** Names that a front matter cannot take: they are something else in a document, or ours. */
const TAKEN = new Set(["id", "text", "title", "weights", "vector", "path", "heading", "line"]);

async function* readProse(
  { source, name }: OpenedFile,
  format: "markdown" | "text",
  { chunk = {}, onRead = () => {}, onBytes }: FileOptions,
): AsyncGenerator<ReadDocument> {
  let front: FrontMatter = {};
  const all = lines(source, { blank: true, longest: LONGEST_LINE, onBytes });
  const blocks =
    format === "text"
      ? textBlocks(all)
      : markdownBlocks(all, (fields) => {
          front = fields;
        });
  let number = 0;
  for await (const { text, line, headings } of chunks(blocks, chunk)) {
    const top = typeof front.title === "string" && front.title !== headings[0] ? [front.title] : [];
    const titles = [...top, ...headings];
    const rest = Object.entries(front).filter(([field]) => !TAKEN.has(field));
    yield {
      ...Object.fromEntries(rest),
      id: `${name}#${++number}`,
      ...(titles.length > 0 && { title: titles.join(" › ") }),
      text,
      path: name,
      ...(headings.length > 0 && { heading: headings.at(-1) }),
      line,
    };
  }
  onRead(name, number);
}
