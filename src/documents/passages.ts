// Long documents → passages: documents of about 200 words, each with the place of its text in the long one. A passage keeps the
// title and the fields of its document. The id of the third passage of "canal" is "canal#3", so ids stay the same as long as
// the text does.

import { UsageError } from "../errors.ts";
import type { Line } from "../support/files/lines.ts";
import {
  checkBoolean,
  checkNumber,
  checkOptions,
  isObject,
  type KnownOptions,
} from "../support/options/options.ts";
import { type Chunking, chunks, type TextPlace } from "./chunk.ts";
import { type Document, type ReadDocument, textOf } from "./document.ts";
import { markdownBlocks, textBlocks } from "./markdown.ts";
import { passageId } from "./passage-id.ts";

/** How documents are cut into passages. */
export interface PassageOptions extends Chunking {
  /** `markdown`, the default, begins a passage at every heading. `text` looks at paragraphs only. */
  readonly format?: "markdown" | "text" | undefined;
}

/** What a passage says of its place in the document. */
export interface PassageOf {
  /** The id of the document. */
  readonly of: string;
  /** Counts the passages of the document, from 1. */
  readonly number: number;
  /** Where its text begins and ends in the text of the document, in UTF-16 units, without words that it repeats. */
  readonly start: number;
  readonly end: number;
}

const PASSAGE_OPTIONS: KnownOptions<PassageOptions> = { words: true, overlap: true, format: true };

/** Throws if the option `chunk` is wrong. */
export function checkChunk(chunk: unknown): void {
  if (!isObject(chunk)) {
    checkBoolean("chunk", chunk);
    return;
  }
  checkOptions(chunk, PASSAGE_OPTIONS, "chunk");
  const { words, overlap, format } = chunk as PassageOptions;
  checkNumber("chunk.words", words, { least: 1, isWhole: true });
  checkNumber("chunk.overlap", overlap, { least: 0, isWhole: true });
  if (format !== undefined && format !== "markdown" && format !== "text")
    throw new UsageError(`chunk.format is "markdown" or "text", not ${JSON.stringify(format)}`);
}

/** What a document that is a passage says of its place; undefined if it is none. */
export function passageOf(document: Document): PassageOf | undefined {
  return (document as { passage?: PassageOf }).passage;
}

/** The passages of documents, in order. A document has at least one, even without a text. */
export async function* passagesOf(
  documents: AsyncIterable<Document> | Iterable<Document>,
  options: PassageOptions,
): AsyncGenerator<Document> {
  for await (const document of documents) yield* passagesOfOne(document as ReadDocument, options);
}

async function* passagesOfOne(
  document: ReadDocument,
  { format = "markdown", ...chunking }: PassageOptions,
): AsyncGenerator<Document> {
  const { id, title: _, text: __, ...others } = document;
  textOf(document, `document ${JSON.stringify(id)}`); // throws if title or text is not a string
  refuseOwn(document);
  const [title, text] = [document.title ?? undefined, document.text ?? ""];
  const lines = linesOf(text);
  const blocks = format === "text" ? textBlocks(lines) : markdownBlocks(lines);
  const offsetOf = ({ line, column }: TextPlace) => lines[line - 1].start + column;
  let number = 0;
  for await (const { text: part, headings, begin, end } of chunks(blocks, chunking)) {
    // A text often begins with its title as a heading.
    const titles = title === undefined || headings[0] === title ? headings : [title, ...headings];
    const passage: PassageOf = { of: id, number: ++number, start: offsetOf(begin), end: offsetOf(end) };
    const named = titles.length > 0 && { title: titles.join(" › ") };
    yield { ...others, id: passageId(id, number), ...named, text: part, passage };
  }
  if (number > 0) return;
  const passage: PassageOf = { of: id, number: 1, start: 0, end: text.length };
  yield { ...others, id: passageId(id, 1), ...(title !== undefined && { title }), text, passage };
}

function refuseOwn({ id, passage, vector, weights, termFactors }: ReadDocument): void {
  const own = Object.entries({ passage, vector, weights, termFactors }).find(
    ([, value]) => value !== undefined,
  );
  if (!own) return;
  throw new UsageError(
    `document ${JSON.stringify(id)}: it has ${own[0]} of its own, and is to be cut into passages`,
    "leave out chunk, or the field: each passage gets its own",
  );
}

/** The lines of a text, each with its offset. */
function linesOf(text: string): (Line & { readonly start: number })[] {
  let start = 0;
  return text.split("\n").map((one, i) => {
    const line = { text: one.replace(/\r$/, ""), number: i + 1, where: `line ${i + 1}`, start };
    start += one.length + 1;
    return line;
  });
}
