// Flags → vectors of documents. --vectors brings them from a file; and an encoder that takes time keeps what it gives, so that an
// interrupted command goes on where it stopped. The library encodes, and does not know of the file.

import { join } from "node:path";
import { type EmptiedFile, isEmptiedFile } from "../../documents/emptied-file.ts";
import type { Encoder } from "../../encode/index.ts";
import { LoggedEncoder } from "../../encode/logged-encoder.ts";
import { type Document, SluiceError } from "../../index.ts";
import { readVectors } from "../../read/index.ts";
import type { VectorsById } from "../../read/weights/vector-files.ts";
import type { Arguments, Terminal } from "../terminal/command.ts";
import { formatCount } from "../terminal/format.ts";

/** Adds vectors from --vectors to the documents. Refuses flags that contradict the encoder, or that need one. */
export async function withVectorsFromFlags(
  documents: AsyncIterable<Document | EmptiedFile>,
  encoder: Encoder | undefined,
  args: Arguments,
): Promise<AsyncIterable<Document | EmptiedFile>> {
  const file = args.text("vectors");
  if (file) args.refuseFlags(["keep"], "with --vectors");
  if (encoder && file) throw args.usageError("--encoder and --vectors exclude each other");
  if (!encoder) args.refuseFlags(["keep", "description", "encoder-threads"], "without an encoder");
  if (encoder?.gives.weights) args.refuseFlags(["lexical"], "with an encoder that weights words");
  return file ? withVectors(documents, await readVectors(file), file) : documents;
}

async function* withVectors(
  documents: AsyncIterable<Document | EmptiedFile>,
  vectors: VectorsById,
  file: string,
): AsyncGenerator<Document | EmptiedFile> {
  for await (const document of documents) {
    if (isEmptiedFile(document)) {
      yield document;
      continue;
    }
    const vector = vectors.get(document.id);
    if (!vector) throw new SluiceError(`${file}: no vector for the document ${JSON.stringify(document.id)}`);
    yield { ...document, vector };
  }
}

/** An encoder whose encodings survive the command: until its work is done, or for good. */
export interface KeepingEncoder {
  readonly encoder: LoggedEncoder;
  /** Whether --keep asks for it. If not, the file goes when the work is done. */
  readonly isKept: boolean;
}

/** An encoder that keeps what it gives: in the folder of --keep, else beside the index. Undefined for one that is fast. */
export function keepEncodings(
  encoder: Encoder | undefined,
  args: Arguments,
  terminal: Terminal,
): KeepingEncoder | undefined {
  const keep = args.text("keep");
  // A static encoder takes less time than keeping what it gives.
  if (!encoder || (keep === undefined && encoder.description.kind === "static")) return undefined;
  const isKept = keep !== undefined;
  const path = isKept ? join(keep, "documents.encodings") : `${args.operands[0]}.encodings`;
  const onOpened = (size: number, wasOther: boolean) => {
    if (isKept && wasOther)
      terminal.err(`${path} held encodings of another model: all texts are encoded again\n`);
    if (!isKept && size > 0) terminal.err(`going on: ${path} has ${formatCount(size)} encodings\n`);
  };
  return { encoder: new LoggedEncoder(encoder, path, onOpened), isKept };
}
