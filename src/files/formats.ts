// Files in any of the formats we read, and folders of them → documents. The ending of a name says what a file is, unless the
// caller does.

import { basename } from "node:path";
import type { ReadDocument } from "../document.ts";
import { UsageError } from "../errors.ts";
import { type Chunking, chunks } from "./chunk.ts";
import { readCsv } from "./csv.ts";
import { type FieldNames, readDocuments } from "./documents.ts";
import { type FoundFile, isText, type Skipped, walk } from "./folder.ts";
import { lines, statOf } from "./lines.ts";
import { type FrontMatter, markdownBlocks, textBlocks } from "./markdown.ts";
import { readParquet } from "./parquet.ts";

export const FORMATS = ["jsonl", "csv", "parquet", "markdown", "text"] as const;
export type Format = (typeof FORMATS)[number];

/** How names end, an optional .gz aside (Parquet compresses by itself). */
const ENDINGS: Readonly<Record<Format, readonly string[]>> = {
  jsonl: [".jsonl", ".ndjson", ".tsv"],
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
}

/**
 * The documents of a file, or of all Markdown and text files of a folder. Lines of JSON Lines and rows of CSV and Parquet are
 * a document each. Markdown and text are cut into chunks: the id is the path below the folder, "#" and the number of the
 * chunk, the title the headings it stands under, and path, heading and line say where it was.
 */
export async function* readFiles(path: string, options: FileOptions = {}): AsyncGenerator<ReadDocument> {
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
    yield* readFile({ path, name: basename(path) }, format, options);
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
      yield* readFile(file, format, options);
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

function formatOf(name: string): Format | undefined {
  const plain = name.toLowerCase().replace(/\.gz$/, "");
  return FORMATS.find((format) => ENDINGS[format].some((ending) => plain.endsWith(ending)));
}

function readFile(file: FoundFile, format: Format, options: FileOptions): AsyncGenerator<ReadDocument> {
  const { id, text, title, delimiter } = options;
  const names = {
    ...(id !== undefined && { id }),
    ...(text !== undefined && { text }),
    ...(title !== undefined && { title }),
  };
  switch (format) {
    case "jsonl":
      return readDocuments(file.path, { ...names, unique: false });
    case "csv":
      return readCsv(file.path, { ...names, ...(delimiter !== undefined && { delimiter }) });
    case "parquet":
      return readParquet(file.path, names);
    default:
      return readProse(file, format, options);
  }
}

/** Names that a front matter cannot take: they are something else in a document, or ours. */
const TAKEN = new Set(["id", "text", "title", "weights", "vector", "path", "heading", "line"]);

async function* readProse(
  { path, name }: FoundFile,
  format: "markdown" | "text",
  { chunk = {}, onRead = () => {} }: FileOptions,
): AsyncGenerator<ReadDocument> {
  let front: FrontMatter = {};
  const all = lines(path, { blank: true, longest: LONGEST_LINE });
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
