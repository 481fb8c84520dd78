// Where documents come from: the flags that `index` and `add` share, and what they mean to the library.

import { join } from "node:path";
import {
  bytesOf,
  type Document,
  type Embeddings,
  type Encoder,
  type Encoding,
  encodeKept,
  type FileOptions,
  type FileSource,
  FORMATS,
  type Progress,
  readBeirCorpus,
  readEmbeddings,
  readFiles,
  readVectors,
  type Skipped,
  type Sluice,
  textOf,
  UsageError,
} from "../index.ts";
import type { Arguments, Flags, Terminal } from "./command.ts";
import { ENCODER_FLAGS, WEIGHT_FLAGS, weightFormat } from "./flags.ts";
import { withCommas } from "./format.ts";
import { stoppable, until } from "./interrupt.ts";
import type { ProgressLine } from "./progress-line.ts";
import { STDIN, sourceOf } from "./stdin.ts";

export const DOCUMENT_OPERANDS = "DIR (PATH... | - | --jsonl FILE | --beir FOLDER | --lexical vectors:PATH)";

export const DOCUMENT_FLAGS = {
  jsonl: { type: "string", value: "FILE", help: "documents, one JSON object (or id TAB text) a line" },
  format: {
    type: "string",
    value: "NAME",
    choices: FORMATS,
    help: `the format of every PATH: ${FORMATS.join(", ")}; without it, the ending of a name says`,
  },
  id: { type: "string", value: "FIELD", help: "the field with the id (_id, id, docid, qid)" },
  text: { type: "string", value: "FIELD", help: "the field with the text (text, contents, body)" },
  title: { type: "string", value: "FIELD", help: "the field with the title (title)" },
  delimiter: { type: "string", value: "C", help: "what separates the fields of CSV (,)" },
  "chunk-words": { type: "string", value: "N", help: "words a piece of Markdown or text has at most (200)" },
  "chunk-overlap": { type: "string", value: "N", help: "words of a piece that the next one repeats (0)" },
  beir: { type: "string", value: "FOLDER", help: "a BEIR collection: corpus.jsonl" },
  lexical: { type: "string", value: "MODEL", default: "bm25", help: "bm25, or vectors:PATH" },
  ...WEIGHT_FLAGS,
  ...ENCODER_FLAGS,
  keep: { type: "string", value: "FOLDER", help: "keep what the encoder made there, and use it again" },
  vectors: {
    type: "string",
    value: "FILE",
    help: "embeddings made elsewhere: .npy or .f32 with .ids, or .jsonl",
  },
  "commit-every": { type: "string", value: "N", help: "commit after every N documents, not only at the end" },
} as const satisfies Flags;

export const DOCUMENT_DETAILS = [
  "A PATH is a file, a folder, or - for standard input. The ending of a name says what a file is:",
  "",
  "  .jsonl, .ndjson   JSON Lines: an object a line, or id TAB text (.tsv, too)",
  "  .json             JSON: an array of objects, or objects one behind the other",
  "  .csv              CSV, with a header",
  "  .parquet          Parquet; needs npm install hyparquet",
  "  .md, .txt         Markdown and text, cut into pieces by headings, paragraphs and sentences",
  "",
  "An object or a row is a document. It has an id and a text; a title and any other field are kept. A piece of Markdown",
  "or text gets the path, #, and a number for an id. Of a folder, Markdown and text files are read. Standard input is",
  "what its first line looks like (JSON Lines, JSON, CSV with a header, id TAB text); --format says it for the rest.",
  "Files and standard input may be gzip.",
  "",
  "With --lexical vectors:PATH the weights of terms come from a JsonVectorCollection (a file or a folder), and PATHs,",
  "--jsonl or --beir, if given, only bring the text to show.",
  "",
  "All documents become visible at once, at the end; an error, Ctrl-C or a crash before leaves the index as it was.",
  "With --commit-every they become visible in steps, and what was committed stays.",
].join("\n");

/** What became of the files that were named, to be told at the end; and how far they are read. */
export class ReadFiles {
  readonly counts: Partial<Record<Skipped, number>> = {};
  #documents = 0;
  #bytes = 0;
  #allBytes: number | undefined;

  readonly onBytes = (bytes: number): void => {
    this.#bytes += bytes;
  };

  /** The same documents, counted. */
  async *counted(
    documents: AsyncIterable<Document>,
    allBytes: () => Promise<number | undefined>,
  ): AsyncGenerator<Document> {
    // A file that is not there is the reader's to complain about.
    this.#allBytes = await allBytes().catch(() => undefined);
    for await (const document of documents) {
      this.#documents++;
      yield document;
    }
  }

  /** About how many documents there are, by how many the bytes read so far held. */
  readonly estimate = (): number | undefined =>
    this.#allBytes && this.#bytes ? this.#documents / Math.min(1, this.#bytes / this.#allBytes) : undefined;

  readonly #passages = new Map<string, number>();

  readonly onSkip = (_name: string, why: Skipped): void => {
    this.counts[why] = (this.counts[why] ?? 0) + 1;
  };

  readonly onRead = (name: string, passages: number): void => {
    this.#passages.set(name, passages);
  };

  /** Deletes passages that files had when they were longer; how many. */
  async dropStale(index: Sluice): Promise<number> {
    let dropped = 0;
    for (const [name, passages] of this.#passages)
      for (let number = passages + 1; (await index.delete([`${name}#${number}`])) === 1; number++) dropped++;
    return dropped;
  }

  /** "skipped: 3 hidden, 1 binary, 12 other files", and a line end; nothing where nothing was. */
  text(): string {
    const counts = Object.entries(this.counts).map(([why, count]) => `${withCommas(count)} ${why}`);
    return counts.length === 0 ? "" : `skipped: ${counts.join(", ")} files\n`;
  }

  /** For --json. */
  fields(): { skipped?: Partial<Record<Skipped, number>> } {
    return Object.keys(this.counts).length === 0 ? {} : { skipped: this.counts };
  }
}

/** Documents with what is known about them beyond their fields. */
export interface Source {
  readonly documents: AsyncIterable<Document> | Iterable<Document>;
  readonly encodings?: ReadonlyMap<string, Encoding>;
}

/** Adds all documents and commits, `last` before the last commit; stops at Ctrl-C. */
export async function addAll(
  index: Sluice,
  { documents, encodings }: Source,
  { upsert, every, last }: { upsert: boolean; every: number | undefined; last?: () => Promise<unknown> },
  progress: ProgressLine,
  terminal: Terminal,
): Promise<number> {
  let [commits, added] = [false, 0];
  const onProgress = ({ stage, done, total }: Progress) => {
    // In steps, a step knows nothing of the others.
    const ofStep = every !== undefined && (stage === "reading" || stage === "encoding");
    if (ofStep) progress.update(stage, added + done);
    else progress.update(stage, done, total);
  };
  const work = async (signal: AbortSignal) => {
    const options = { onProgress, signal, ...(encodings && { encodings }) };
    const add = (some: AsyncIterable<Document>) =>
      upsert ? index.upsert(some, options) : index.add(some, options);
    const stream = until(signal, documents);
    try {
      for (let more = true; more; ) {
        const before = added;
        added += await add(every === undefined ? stream : taken(stream, every));
        more = every !== undefined && added - before === every;
        if (!more) await last?.();
        signal.throwIfAborted();
        commits = true;
        await index.commit({ onProgress });
        commits = false;
      }
    } finally {
      progress.clear();
    }
    return added;
  };
  const left = () =>
    `interrupted; ${index.size === 0 ? "nothing is" : `${withCommas(index.size)} documents are`} committed`;
  const saying = () =>
    commits ? "stopping when this commit is done…" : "stopping…; what is not committed is dropped";
  return stoppable(terminal, left, work, saying);
}

/** The next few of a stream, which can be asked again. */
async function* taken<T>(stream: AsyncGenerator<T>, most: number): AsyncGenerator<T> {
  for (let i = 0; i < most; i++) {
    const next = await stream.next();
    if (next.done) return;
    yield next.value;
  }
}

/** The folder of the index, and the documents that the command line names. */
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
  // The index notices an id that comes twice, without remembering all of them in memory.
  const unique = false;
  if (paths.filter((path) => path === STDIN).length > 1)
    throw args.misuse("- is standard input, which can be read only once");
  const { onSkip, onRead, onBytes } = read;
  const options = { ...fileOptions(args), onSkip, onRead, onBytes };
  const sources = (jsonl ? [jsonl] : paths).map((path) => sourceOf(path, terminal));
  const files = jsonl ? { ...options, format: "jsonl" as const } : options;
  const texts = beir
    ? read.counted(readBeirCorpus(beir, { unique, onBytes }), () => bytesOf(join(beir, "corpus.jsonl")))
    : sources.length > 0
      ? read.counted(readAll(sources, files), () => bytesOfAll(sources, files))
      : undefined;
  if (lexical.startsWith("vectors:")) {
    const format = { ...weightFormat(args, pieces), unique };
    return weightedDocuments(lexical.slice("vectors:".length), texts, format);
  }
  args.without(["weight-scale", "token-ids"], "with --lexical bm25");
  if (lexical !== "bm25") throw args.misuse(`--lexical is bm25 or vectors:PATH, not "${lexical}"`);
  if (!texts) throw args.misuse("no documents; give a file or a folder");
  return texts;
}

async function* readAll(sources: readonly FileSource[], options: FileOptions): AsyncGenerator<Document> {
  for (const source of sources) yield* readFiles(source, options);
}

async function bytesOfAll(sources: readonly FileSource[], options: FileOptions): Promise<number | undefined> {
  let sum = 0;
  for (const source of sources) {
    const bytes = await bytesOf(source, options);
    if (bytes === undefined) return undefined;
    sum += bytes;
  }
  return sum;
}

function fileOptions(args: Arguments): FileOptions {
  const [id, text, title, delimiter] = ["id", "text", "title", "delimiter"].map((name) => args.text(name));
  const [format, words] = [args.oneOf("format", FORMATS), args.count("chunk-words")];
  const overlap = args.number("chunk-overlap");
  if (args.given("jsonl"))
    args.without(["format", "delimiter", "chunk-words", "chunk-overlap"], "with --jsonl");
  if (args.given("beir"))
    args.without(
      ["format", "id", "text", "title", "delimiter", "chunk-words", "chunk-overlap"],
      "with --beir",
    );
  return {
    ...(format && { format }),
    ...(id !== undefined && { id }),
    ...(text !== undefined && { text }),
    ...(title !== undefined && { title }),
    ...(delimiter !== undefined && { delimiter }),
    chunk: { ...(words !== undefined && { words }), ...(overlap !== undefined && { overlap }) },
  };
}

/** Documents with vectors from a file; or with what the encoder said, if that is kept. */
export async function withSemantics(
  documents: AsyncIterable<Document>,
  encoder: Encoder | undefined,
  args: Arguments,
  progress: ProgressLine,
  terminal: Terminal,
): Promise<Source> {
  const [keep, file] = [args.text("keep"), args.text("vectors")];
  if (encoder && file) throw args.misuse("--encoder and --vectors exclude each other");
  if (!encoder) args.without(["keep", "describe", "threads"], "without a model");
  if (encoder?.gives.weights) args.without(["lexical"], "with a model that weighs words");
  if (file) return { documents: withVectors(documents, await readEmbeddings(file), file) };
  if (!encoder || !keep) return { documents };
  const all: Document[] = [];
  for await (const document of documents) all.push(document);
  const texts = all.map((document) => ({ id: document.id, text: textOf(document, document.id) }));
  const { encodings, reason } = await stoppable(terminal, "interrupted; nothing is committed", (signal) =>
    encodeKept(encoder, texts, "passage", keep, "documents", {
      signal,
      onProgress: ({ done, total }) => progress.update("encoding", done, total),
    }),
  );
  progress.clear();
  if (reason !== undefined && reason !== "nothing kept")
    terminal.err(`${keep} held ${reason}: encoded again\n`);
  return { documents: all, encodings: new Map(all.map(({ id }, i) => [id, encodings[i]])) };
}

async function* withVectors(
  documents: AsyncIterable<Document>,
  vectors: Embeddings,
  file: string,
): AsyncGenerator<Document> {
  for await (const document of documents) {
    const vector = vectors.get(document.id);
    if (!vector) throw new UsageError(`${file}: no vector for the document ${JSON.stringify(document.id)}`);
    yield { ...document, vector };
  }
}

/** Documents with weights made elsewhere, and the fields that a file of texts has for the same ids. */
async function* weightedDocuments(
  path: string,
  texts: AsyncIterable<Document> | undefined,
  format: Parameters<typeof readVectors>[1],
): AsyncGenerator<Document> {
  const fields = new Map<string, Document>();
  if (texts) for await (const document of texts) fields.set(document.id, document);
  let [vectors, found] = [0, 0];
  for await (const { id, contents, weights } of readVectors(path, format)) {
    vectors++;
    if (fields.has(id)) found++;
    yield { ...(contents !== undefined && { text: contents }), ...fields.get(id), id, weights };
  }
  if (texts && (found < vectors || found < fields.size)) {
    throw new UsageError(
      `${path} has ${vectors} vectors and the texts are ${fields.size}; only ${found} ids are in both`,
      "give vectors and texts of the same collection, or no texts",
    );
  }
}
