// Documents → the same documents with vectors: from a file, or from an encoder. Encodings can be kept for the next run, and are
// kept until the work is done, so that an interrupted run goes on where it stopped.

import { indexedText } from "../../documents/document.ts";
import type { TextField } from "../../documents/text-fields.ts";
import { encodeWithCache } from "../../encode/encoding-cache.ts";
import { EncodingLog } from "../../encode/encoding-log.ts";
import type { Encoder, Encoding } from "../../encode/index.ts";
import { type Document, UsageError } from "../../index.ts";
import { readVectors } from "../../read/index.ts";
import type { VectorsById } from "../../read/weights/vector-files.ts";
import type { Arguments, Terminal } from "../terminal/command.ts";
import { formatCount } from "../terminal/format.ts";
import { runStoppable } from "../terminal/interrupt.ts";
import type { ProgressLine } from "../terminal/progress-line.ts";

/** Documents, and the encodings that are already known by their ids. */
export interface DocumentSource {
  readonly documents:
    | AsyncIterable<Document>
    | Iterable<Document>
    | ((signal: AbortSignal) => AsyncIterable<Document>);
  readonly encodings?: ReadonlyMap<string, Encoding>;
  /** Encodings that survive an interruption. */
  readonly log?: EncodingLog;
}

/** What encoding needs beside the documents and the encoder. */
interface EncodingRun {
  readonly progress: ProgressLine;
  readonly terminal: Terminal;
  /** The fields whose texts are encoded; undefined: title and text. */
  readonly textFields: readonly TextField[] | undefined;
}

/** Adds vectors from --vectors to the documents, or encodings that --keep has stored or now stores. */
export async function withVectorsOrEncodings(
  documents: AsyncIterable<Document>,
  encoder: Encoder | undefined,
  args: Arguments,
  { progress, terminal, textFields }: EncodingRun,
): Promise<DocumentSource> {
  const [keep, file] = [args.text("keep"), args.text("vectors")];
  if (file) args.refuseFlags(["keep"], "with --vectors");
  if (encoder && file) throw args.usageError("--encoder and --vectors exclude each other");
  if (!encoder) args.refuseFlags(["keep", "description", "encoder-threads"], "without an encoder");
  if (encoder?.gives.weights) args.refuseFlags(["lexical"], "with an encoder that weights words");
  if (file) return { documents: withVectors(documents, await readVectors(file), file) };
  // A static encoder takes less time than keeping what it gives.
  if (!encoder || (!keep && encoder.description.kind === "static")) return { documents };
  const path = `${args.operands[0]}.encodings`;
  if (!keep) return withLog(documents, encoder, path, { progress, terminal, textFields });
  const all: Document[] = [];
  for await (const document of documents) all.push(document);
  const texts = all.map((document) => ({
    id: document.id,
    text: indexedText(document, document.id, textFields),
  }));
  const { encodings, reason } = await runStoppable(terminal, "interrupted; nothing is committed", (signal) =>
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
): DocumentSource {
  const log = new EncodingLog(path, encoder);
  const encodings = new Map<string, Encoding>();
  const onFound = (count: number) => terminal.err(`going on: ${path} has ${formatCount(count)} encodings\n`);
  return {
    documents: (signal) =>
      log.encodeFirst(documents, encodings, { textFields, signal, onFound, onProgress: progress.report }),
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
