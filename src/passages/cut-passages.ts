// Long texts → passages: documents of about 200 words, each with the place of its text in the long one. `cutLines` makes
// them, for documents and for files alike. The id of the third passage of "canal" is "canal#3", so ids stay the same as long as the
// text does.

import { type Document, type DocumentFields, type FileDocument, indexedText } from "../documents/document.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import type { Line } from "../support/files/lines.ts";
import {
  checkNumber,
  checkParts,
  isObject,
  type KnownOptions,
  optionError,
  wrongValueError,
} from "../support/options/options.ts";
import { cutBlocks, type PassageSize } from "./cut-blocks.ts";
import { type FrontMatter, readMarkdownBlocks, readTextBlocks } from "./markdown.ts";
import { isPassage, type PassageOrigin, passageId } from "./passage.ts";

/** How documents are cut into passages. */
export interface PassageOptions extends PassageSize {
  /** `markdown`, the default, begins a passage at every heading. `text` looks at paragraphs only. */
  readonly format?: "markdown" | "text" | undefined;
}

const PASSAGE_OPTIONS: KnownOptions<PassageOptions> = { words: true, overlap: true, format: true };

/** Throws if the option `passages` is wrong. */
export function checkPassages(passages: unknown): void {
  if (passages === undefined || typeof passages === "boolean") return;
  if (passages === "given")
    throw optionError(
      "passages",
      'passages is true, false or an object, not "given": documents that are passages already are recognized by themselves',
      "leave the option out",
    );
  if (!isObject(passages))
    throw wrongValueError("passages", "true, false or an object with words, overlap or format", passages);
  checkParts("passages", passages, PASSAGE_OPTIONS);
  const { words, overlap, format } = passages as PassageOptions;
  checkNumber("passages.words", words, { least: 1, isWhole: true });
  checkNumber("passages.overlap", overlap, { least: 0, isWhole: true });
  if (format !== undefined && format !== "markdown" && format !== "text")
    throw wrongValueError("passages.format", '"markdown" or "text"', format);
}

/** A text that is cut: that of a document, or a file. */
interface LongText {
  /** The id of the document, or the name of the file. */
  readonly id: string;
  readonly lines: AsyncIterable<Line> | Iterable<Line>;
  /** What all passages get, once the front matter is known: the title above their headings, and fields. */
  readonly shared: (front: FrontMatter) => {
    readonly title?: string | undefined;
    readonly fields: Readonly<Record<string, unknown>>;
  };
}

/** The passages of a text, in order: none, if it has no words. */
export async function* cutLines(
  { id, lines, shared }: LongText,
  { format = "markdown", ...size }: PassageOptions,
): AsyncGenerator<FileDocument> {
  let front: FrontMatter = {};
  const onFrontMatter = (fields: FrontMatter) => {
    front = fields;
  };
  const blocks = format === "text" ? readTextBlocks(lines) : readMarkdownBlocks(lines, onFrontMatter);
  let number = 0;
  for await (const { text, headings, line, start, end } of cutBlocks(blocks, size)) {
    const { title, fields } = shared(front);
    // A text often begins with its title as a heading.
    const titles = title === undefined || headings[0] === title ? headings : [title, ...headings];
    const heading = headings.length > 0 ? { heading: headings.at(-1) } : {};
    const place = { of: id, number: ++number, ...heading, line, start, end };
    yield createPassage(fields, titles, text, place);
  }
}

/**
 * The passages of documents, in order. Every document gives at least one, even without a text. A document that is a passage
 * already is not cut.
 */
export async function* cutPassages(
  documents: AsyncIterable<Document> | Iterable<Document>,
  options: PassageOptions,
): AsyncGenerator<Document> {
  for await (const document of documents) {
    if (isPassage(document.id, document)) yield document;
    else yield* cutDocument(document, options);
  }
}

async function* cutDocument(document: Document, options: PassageOptions): AsyncGenerator<FileDocument> {
  const { id, title: ownTitle, text: ownText, ...fields } = document;
  indexedText(document, `document ${JSON.stringify(id)}`); // throws if title or text is not a string
  refuseOwnEncoding(document);
  const [title, text] = [ownTitle ?? undefined, ownText ?? ""];
  let isCut = false;
  for await (const passage of cutLines(
    { id, lines: toLines(text), shared: () => ({ title, fields }) },
    options,
  )) {
    isCut = true;
    yield passage;
  }
  if (isCut) return;
  const place = { of: id, number: 1, line: 1, start: 0, end: text.length };
  yield createPassage(fields, title === undefined ? [] : [title], text, place);
}

function createPassage(
  fields: Readonly<Record<string, unknown>>,
  titles: readonly string[],
  text: string,
  passage: PassageOrigin,
): FileDocument {
  const named = titles.length > 0 && { title: titles.join(" › ") };
  return { ...fields, id: passageId(passage.of, passage.number), ...named, text, passage };
}

/** A document whose field `passage`, if there is one, can be read. */
type MaybePassage = DocumentFields & { readonly passage?: unknown };

/** Throws if the document has something that each of its passages must have instead. */
function refuseOwnEncoding({ id, passage, vector, weights, termFactors }: MaybePassage): void {
  const given = { passage, vector, weights, termFactors };
  const name = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (name === undefined) return;
  throw new SluiceError(
    `document ${JSON.stringify(id)}: it has ${name} of its own, and is to be cut into passages`,
    name === "passage"
      ? "a passage has the id of its document, # and its number; rename a field of your own"
      : (nameOf) => `leave out ${nameOf("passages")}, or the field: each passage gets its own`,
  );
}

/** The lines of a text. */
function toLines(text: string): Line[] {
  let start = 0;
  return text.split("\n").map((one, i) => {
    const line = { text: one.replace(/\r$/, ""), number: i + 1, where: `line ${i + 1}`, start };
    start += one.length + 1;
    return line;
  });
}
