// The flags of `index` and `add` that say where documents come from → documents for the library.

import { join } from "node:path";
import { textOf } from "../../documents/document.ts";
import { passageId } from "../../documents/passage-id.ts";
import type { TextField } from "../../documents/text-fields.ts";
import { encodeWithCache } from "../../encode/encoding-cache.ts";
import { EncodingLog } from "../../encode/encoding-log.ts";
import type { Encoder, Encoding } from "../../encode/index.ts";
import { type Document, type Progress, type Sluice, UsageError } from "../../index.ts";
import type { Skipped } from "../../read/folder.ts";
import { FORMATS, type Format, fileBytes, formatOf, isProse, readAllFiles } from "../../read/formats.ts";
import { type FileOptions, readVectors } from "../../read/index.ts";
import { ID_FIELDS, readDocuments, TEXT_FIELDS } from "../../read/stream/line-documents.ts";
import { readTermWeights } from "../../read/weights/term-weight-files.ts";
import type { VectorsById } from "../../read/weights/vector-files.ts";
import type { FileSource } from "../../support/files/source.ts";
import { untilAborted } from "../../support/work/until-aborted.ts";
import type { Arguments, Flags, Terminal } from "../parse/command.ts";
import { countOf, withCommas } from "../terminal/format.ts";
import { stoppable } from "../terminal/interrupt.ts";
import type { ProgressLine } from "../terminal/progress-line.ts";
import { STDIN, sourceOf } from "../terminal/stdin.ts";
import { ENCODER_FLAGS, WEIGHT_FLAGS, weightFormat } from "./flags.ts";

export const DOCUMENT_OPERANDS = "DIR (PATH... | - | --jsonl FILE | --beir FOLDER | --lexical weights:PATH)";

export const DOCUMENT_FLAGS = {
  jsonl: { type: "string", value: "FILE", help: "documents, one JSON object (or id TAB text) per line" },
  format: {
    type: "string",
    value: "NAME",
    choices: FORMATS,
    help: `format of every PATH: ${FORMATS.join(", ")} (by file extension)`,
  },
  id: { type: "string", value: "FIELD", help: `field with the id (${ID_FIELDS.join(", ")})` },
  text: { type: "string", value: "FIELD", help: `field with the text (${TEXT_FIELDS.join(", ")})` },
  title: { type: "string", value: "FIELD", help: "field with the title; title by default" },
  delimiter: { type: "string", value: "C", help: "character between the fields of CSV; a comma by default" },
  "chunk-words": {
    type: "string",
    value: "N",
    help: "most words in a passage of Markdown or text; 200 by default",
  },
  "chunk-overlap": {
    type: "string",
    value: "N",
    help: "words that a passage repeats from the one before; 0 by default",
  },
  beir: { type: "string", value: "FOLDER", help: "a BEIR collection: reads corpus.jsonl" },
  lexical: { type: "string", value: "WEIGHTING", default: "bm25", help: "bm25, or weights:PATH" },
  ...WEIGHT_FLAGS,
  ...ENCODER_FLAGS,
  keep: { type: "string", value: "FOLDER", help: "store the encoder's output there, and reuse it next time" },
  vectors: {
    type: "string",
    value: "FILE",
    help: "your own vectors: .npy or .f32 with .ids, or .jsonl",
  },
  "commit-every": {
    type: "string",
    value: "N",
    help: "commit after every N documents; by default only at the end",
  },
} as const satisfies Flags;

export const DOCUMENT_DETAILS = [
  "A PATH is a file, a folder, or - for standard input. The extension of a file says its format:",
  "",
  "  .jsonl, .ndjson   JSON Lines: one object per line, or id TAB text (also .tsv)",
  "  .json             JSON: an array of objects, or objects one after the other",
  "  .csv              CSV with a header",
  "  .parquet          Parquet; needs npm install hyparquet",
  "  .md, .txt         Markdown and text, split into passages at headings, paragraphs and sentences",
  "",
  "Each object or row becomes a document. It needs an id and a text; the title and all other fields are stored. The id of",
  "a passage is the path of its file as given, #, and a number: docs/canals.md#2. Of an absolute path, or one with .., it",
  "begins with the last name of PATH. From a folder, Markdown and text files are read. The format of standard input is",
  "guessed from its first line (JSON Lines, JSON, CSV with a header, id TAB text); give --format for other formats. Files",
  "and standard input may be gzip.",
  "",
  "With --lexical weights:PATH the weights of terms come from a JsonVectorCollection (a file or a folder). PATHs, --jsonl",
  "or --beir then only add the text to show.",
  "",
  "All documents become visible at once, at the end. After an error, Ctrl-C or a crash the index is as it was before.",
  "With --commit-every, documents become visible in steps, and committed ones stay.",
].join("\n");

/** Counts what was read and what was skipped: for the progress line, and for the summary at the end. */
export class ReadFiles {
  readonly counts: Partial<Record<Skipped, number>> = {};
  #documents = 0;
  #bytes = 0;
  #allBytes: number | undefined;

  readonly onBytes = (bytes: number): void => {
    this.#bytes += bytes;
  };

  /** Passes documents through, and counts them. */
  async *counted(
    documents: AsyncIterable<Document>,
    allBytes: () => Promise<number | undefined>,
  ): AsyncGenerator<Document> {
    // The reader reports a missing file.
    this.#allBytes = await allBytes().catch(() => undefined);
    for await (const document of documents) {
      this.#documents++;
      yield document;
    }
  }

  /** Estimates the number of documents from the share of bytes read so far. */
  readonly estimate = (): number | undefined =>
    this.#allBytes && this.#bytes ? this.#documents / Math.min(1, this.#bytes / this.#allBytes) : undefined;

  readonly #passages = new Map<string, number>();

  readonly onSkip = (_name: string, why: Skipped): void => {
    this.counts[why] = (this.counts[why] ?? 0) + 1;
  };

  readonly onRead = (name: string, passages: number): void => {
    this.#passages.set(name, passages);
  };

  /** Deletes passages of files that have become shorter. Returns how many. */
  async dropStale(index: Sluice): Promise<number> {
    let dropped = 0;
    for (const [name, passages] of this.#passages)
      for (let number = passages + 1; (await index.delete([passageId(name, number)])) === 1; number++)
        dropped++;
    return dropped;
  }

  /** A line such as "skipped: 3 hidden, 1 binary, 12 other files"; empty when nothing was skipped. */
  text(): string {
    const counts = Object.entries(this.counts).map(([why, count]) => `${withCommas(count)} ${why}`);
    return counts.length === 0 ? "" : `skipped: ${counts.join(", ")} files\n`;
  }

  /** The same counts for --json. */
  fields(): { skipped?: Partial<Record<Skipped, number>> } {
    return Object.keys(this.counts).length === 0 ? {} : { skipped: this.counts };
  }
}

/** Documents, and the encodings that are already known by their ids. */
interface Source {
  readonly documents:
    | AsyncIterable<Document>
    | Iterable<Document>
    | ((signal: AbortSignal) => AsyncIterable<Document>);
  readonly encodings?: ReadonlyMap<string, Encoding>;
  /** Encodings that survive an interruption. */
  readonly log?: EncodingLog;
}

/** Adds all documents and commits every `every` documents. Calls `last` before the last commit. Ctrl-C stops it. */
export async function addAll(
  index: Sluice,
  { documents, encodings, log }: Source,
  { upsert, every, last }: { upsert: boolean; every: number | undefined; last?: () => Promise<unknown> },
  progress: ProgressLine,
  terminal: Terminal,
): Promise<number> {
  let [commits, added] = [false, 0];
  const onProgress = ({ stage, done, total }: Progress) => {
    // With --commit-every, the library counts from 0 in every step.
    const ofStep = every !== undefined && (stage === "reading" || stage === "encoding");
    if (ofStep) progress.update(stage, added + done);
    else progress.update(stage, done, total);
  };
  const work = async (signal: AbortSignal) => {
    const options = { onProgress, signal, ...(encodings && { encodings }) };
    const add = (some: AsyncIterable<Document>) =>
      upsert ? index.upsert(some, options) : index.add(some, options);
    const items = typeof documents === "function" ? documents(signal) : documents;
    const stream = untilAborted(items, signal);
    try {
      for (let more = true; more; ) {
        const before = added;
        added += await add(every === undefined ? stream : take(stream, every));
        more = every !== undefined && added - before === every;
        if (!more) await last?.();
        signal.throwIfAborted();
        commits = true;
        await index.commit({ onProgress });
        commits = false;
      }
      await log?.finish();
    } catch (error) {
      await log?.close();
      throw error;
    } finally {
      progress.clear();
    }
    return added;
  };
  const left = () =>
    `interrupted; ${index.size === 0 ? "nothing is" : `${countOf(index.size, "document")} ${index.size === 1 ? "is" : "are"}`} committed` +
    (log ? "; encodings are kept: the same command goes on from here" : "");
  const saying = () =>
    commits ? "stopping when this commit is done…" : "stopping…; what is not committed is dropped";
  return stoppable(terminal, left, work, saying);
}

/** The next `most` items of a stream; the stream stays open for more. */
async function* take<T>(stream: AsyncGenerator<T>, most: number): AsyncGenerator<T> {
  for (let i = 0; i < most; i++) {
    const next = await stream.next();
    if (next.done) return;
    yield next.value;
  }
}

/** The documents that the command line names. */
export function documentsOf(
  args: Arguments,
  terminal: Terminal,
  pieces: readonly string[] | undefined,
  read: ReadFiles,
): AsyncIterable<Document> {
  const [jsonl, beir, lexical] = [args.text("jsonl"), args.text("beir"), args.text("lexical")!];
  const paths = args.operands.slice(1);
  if (jsonl && beir) throw args.misuse("--jsonl and --beir exclude each other");
  if (paths.length > 0 && (jsonl ?? beir)) throw args.misuse("PATHs exclude --jsonl and --beir");
  // The index finds duplicate ids itself, without a set of all ids in memory.
  const unique = false;
  if (paths.filter((path) => path === STDIN).length > 1)
    throw args.misuse("- is standard input, which can be read only once");
  const { onSkip, onRead, onBytes } = read;
  const options = { ...fileOptions(args), onSkip, onRead, onBytes };
  const sources = (jsonl ? [jsonl] : paths).map((path) => sourceOf(path, terminal));
  const files = jsonl ? { ...options, format: "jsonl" as const } : options;
  const texts = beir
    ? read.counted(readDocuments(corpusOf(beir), { unique, onBytes }), () => fileBytes(corpusOf(beir)))
    : sources.length > 0
      ? read.counted(readAllFiles(sources, files), () => bytesOfAll(sources, files))
      : undefined;
  if (lexical.startsWith("weights:")) {
    const format = { ...weightFormat(args, pieces), unique };
    return weightedDocuments(lexical.slice("weights:".length), texts, format);
  }
  args.refuseFlags(["weight-scale", "token-ids"], "with --lexical bm25");
  if (lexical !== "bm25") throw args.misuse(`--lexical is bm25 or weights:PATH, not "${lexical}"`);
  if (!texts) throw args.misuse("no documents; give a file or a folder");
  return texts;
}

/** The file with the documents of a BEIR collection. */
function corpusOf(folder: string): string {
  return join(folder, "corpus.jsonl");
}

async function bytesOfAll(sources: readonly FileSource[], options: FileOptions): Promise<number | undefined> {
  let sum = 0;
  for (const source of sources) {
    const bytes = await fileBytes(source, options);
    if (bytes === undefined) return undefined;
    sum += bytes;
  }
  return sum;
}

function fileOptions(args: Arguments): FileOptions {
  const [id, text, title, delimiter] = ["id", "text", "title", "delimiter"].map((name) => args.text(name));
  const [format, words] = [args.oneOf("format", FORMATS), args.count("chunk-words")];
  const overlap = args.number("chunk-overlap");
  if (args.has("jsonl"))
    args.refuseFlags(["format", "delimiter", "chunk-words", "chunk-overlap"], "with --jsonl");
  if (args.has("beir"))
    args.refuseFlags(
      ["format", "id", "text", "title", "delimiter", "chunk-words", "chunk-overlap"],
      "with --beir",
    );
  const paths = args.operands.slice(1);
  if (paths.length > 0 && paths.every((path) => isRecords(path, format)))
    args.refuseFlags(["chunk-words", "chunk-overlap"], "on records: only Markdown and text are cut");
  return {
    ...(format && { format }),
    ...(id !== undefined && { id }),
    ...(text !== undefined && { text }),
    ...(title !== undefined && { title }),
    ...(delimiter !== undefined && { delimiter }),
    chunk: { ...(words !== undefined && { words }), ...(overlap !== undefined && { overlap }) },
  };
}

/** Whether a path holds records, such as JSON Lines. A folder is read for Markdown and text. */
function isRecords(path: string, format: Format | undefined): boolean {
  const known = format ?? formatOf(path);
  return path === STDIN ? !isProse(format) : known !== undefined && !isProse(known);
}

/** What encoding needs beside the documents and the encoder. */
interface EncodingRun {
  readonly progress: ProgressLine;
  readonly terminal: Terminal;
  /** The fields whose texts are encoded; undefined: title and text. */
  readonly textFields: readonly TextField[] | undefined;
}

/** Adds vectors from --vectors to the documents, or encodings that --keep has stored or now stores. */
export async function withSemantics(
  documents: AsyncIterable<Document>,
  encoder: Encoder | undefined,
  args: Arguments,
  { progress, terminal, textFields }: EncodingRun,
): Promise<Source> {
  const [keep, file] = [args.text("keep"), args.text("vectors")];
  if (file) args.refuseFlags(["keep"], "with --vectors");
  if (encoder && file) throw args.misuse("--encoder and --vectors exclude each other");
  if (!encoder) args.refuseFlags(["keep", "description", "encoder-threads"], "without an encoder");
  if (encoder?.gives.weights) args.refuseFlags(["lexical"], "with an encoder that weights words");
  if (file) return { documents: withVectors(documents, await readVectors(file), file) };
  // A static encoder takes less time than keeping what it gives.
  if (!encoder || (!keep && encoder.description.kind === "static")) return { documents };
  const path = `${args.operands[0]}.encodings`;
  if (!keep) return withLog(documents, encoder, path, { progress, terminal, textFields });
  const all: Document[] = [];
  for await (const document of documents) all.push(document);
  const texts = all.map((document) => ({ id: document.id, text: textOf(document, document.id, textFields) }));
  const { encodings, reason } = await stoppable(terminal, "interrupted; nothing is committed", (signal) =>
    encodeWithCache(encoder, texts, "passage", keep, "documents", {
      signal,
      onProgress: progress.report,
    }),
  );
  progress.clear();
  if (reason !== undefined && reason !== "nothing kept")
    terminal.err(`${keep} held ${reason}: all documents were encoded again\n`);
  return { documents: all, encodings: new Map(all.map(({ id }, i) => [id, encodings[i]])) };
}

/** Encodes into a log beside the index, so that the same command goes on where an interruption ended it. */
function withLog(
  documents: AsyncIterable<Document>,
  encoder: Encoder,
  path: string,
  { progress, terminal, textFields }: EncodingRun,
): Source {
  const log = new EncodingLog(path, encoder);
  const encodings = new Map<string, Encoding>();
  const onFound = (count: number) => terminal.err(`going on: ${path} has ${withCommas(count)} encodings\n`);
  return {
    documents: (signal) =>
      log.encodedFirst(documents, encodings, { textFields, signal, onFound, onProgress: progress.report }),
    encodings,
    log,
  };
}

async function* withVectors(
  documents: AsyncIterable<Document>,
  vectors: VectorsById,
  file: string,
): AsyncGenerator<Document> {
  for await (const document of documents) {
    const vector = vectors.get(document.id);
    if (!vector) throw new UsageError(`${file}: no vector for the document ${JSON.stringify(document.id)}`);
    yield { ...document, vector };
  }
}

/** Documents with weights from a JsonVectorCollection, and with the fields that `texts` has for the same ids. */
async function* weightedDocuments(
  path: string,
  texts: AsyncIterable<Document> | undefined,
  format: Parameters<typeof readTermWeights>[1],
): AsyncGenerator<Document> {
  const fields = new Map<string, Document>();
  if (texts) for await (const document of texts) fields.set(document.id, document);
  let [vectors, found] = [0, 0];
  for await (const { id, contents, weights } of readTermWeights(path, format)) {
    vectors++;
    if (fields.has(id)) found++;
    yield { ...(contents !== undefined && { text: contents }), ...fields.get(id), id, weights };
  }
  if (texts && (found < vectors || found < fields.size)) {
    throw new UsageError(
      `${path} has ${vectors} vectors, but there are ${fields.size} texts; only ${found} ids are in both`,
      "give vectors and texts of the same collection, or no texts",
    );
  }
}
