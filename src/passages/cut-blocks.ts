// Blocks of a text (paragraphs, lists, code) → the texts of passages. A passage ends where a block ends. A block that is too long
// is cut between sentences; lists, tables and code between lines. Only a sentence or a line that is still too long is cut between
// words. Code and tables that are cut stay code and tables: each passage opens the fence again, or repeats the header of the
// table. A new section always begins a new passage. text-words.ts says what a word is, in scripts without spaces, too.

import { SluiceError } from "../support/errors/sluice-error.ts";
import { countWords, joinPieces, type Piece, splitIntoWords } from "./text-words.ts";

/** How long passages are. */
export interface PassageSize {
  /** The most words of a passage; 200 by default. */
  readonly words?: number | undefined;
  /** How many words from the end of a passage are repeated at the start of the next one in its section; 0 by default. */
  readonly overlap?: number | undefined;
}

/** A piece of a text that stays whole if it fits into a passage. */
export interface Block {
  readonly text: string;
  /** Of each of its lines: where it begins in the whole text, in UTF-16 units, and its number, from 1. */
  readonly lines: readonly LineStart[];
  /** The headings it is under, the outermost first. */
  readonly headings: readonly string[];
  /** Prose is cut between sentences; lists, tables and code between lines. */
  readonly kind: "prose" | "lines";
  /** The lines that each of its passages repeats, if it is a table or code; undefined for other blocks. */
  readonly frame?: Frame | undefined;
  /** Whether it continues the block before: a text that is too long to be in memory comes as several blocks. */
  readonly isContinued?: boolean;
  /** Whether the next block continues it. */
  readonly goesOn?: boolean;
}

/** Lines that make a part of a table or of code what it is. */
export interface Frame {
  /** Stand above it: the header of a table with the line below, or the line that opens a fence. */
  readonly before: readonly string[];
  /** Stands below it: the line that closes a fence. */
  readonly after?: string;
}

interface LineStart {
  readonly start: number;
  readonly number: number;
}

/** Where something begins and ends in the whole text, in UTF-16 units. */
interface TextSpan {
  readonly start: number;
  readonly end: number;
  /** The line that it begins on, from 1. */
  readonly line: number;
}

/** The text of a passage. Its span is without the words that it repeats, and without a frame. */
interface PassageText extends TextSpan {
  readonly text: string;
  readonly headings: readonly string[];
}

/** The most words of a passage, if nobody says how many. */
export const USUAL_WORDS = 200;
const BETWEEN_BLOCKS = "\n\n";
/** The most of a passage that is a frame. A table whose header is longer is cut without it. */
const MOST_FRAME = 1 / 4;
const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

/** A part of a block. `glue` goes between it and the part before. */
interface BlockPart extends Piece, TextSpan {
  readonly kind: Block["kind"];
  readonly words: number;
  /** What a passage needs that begins with this part, and one that ends with it. */
  readonly before?: Piece & { readonly words: number };
  readonly after?: Piece & { readonly words: number };
}

/** The passages of blocks, in order. Only the one that is being made is in memory. */
export async function* cutBlocks(
  blocks: AsyncIterable<Block> | Iterable<Block>,
  { words: most = USUAL_WORDS, overlap = 0 }: PassageSize = {},
): AsyncGenerator<PassageText> {
  checkSize(most, overlap);
  let parts: BlockPart[] = [];
  let [size, repeated] = [0, 0];
  let headings: readonly string[] = [];
  const made = (): PassageText => {
    const [{ start, line }, { end, after }] = [parts[repeated], parts.at(-1)!];
    return { text: joinPieces(after ? [...parts, after] : parts), line, headings, start, end };
  };
  for await (const block of blocks) {
    if (!isSameSection(headings, block.headings)) {
      if (parts.length > repeated) yield made();
      [parts, size, repeated] = [[], 0, 0];
    }
    headings = block.headings;
    for (const part of splitBlock(block, most)) {
      if (parts.length > repeated && size + part.words + (part.after?.words ?? 0) > most) {
        yield made();
        const prose = parts.slice(parts.findLastIndex(({ kind }) => kind === "lines") + 1);
        const tail = overlap === 0 || prose.length === 0 ? "" : lastSentences(joinPieces(prose), overlap);
        const kept = tail === "" ? 0 : countWords(tail);
        // No overlap if the next part would then not fit: keeping the part whole is worth more.
        const fits = kept > 0 && kept + part.words <= most;
        const { start, end, line } = part;
        parts = fits ? [{ text: tail, kind: "prose", words: kept, glue: "", start, end, line }] : [];
        [size, repeated] = [fits ? kept : 0, parts.length];
      }
      if (parts.length === 0 && part.before) {
        const { start, end, line, before } = part;
        parts.push({ ...before, kind: "lines", start, end, line });
        [size, repeated] = [before.words, 1];
        parts.push({ ...part, glue: before.glue });
      } else parts.push(part);
      size += part.words;
    }
  }
  if (parts.length > repeated) yield made();
}

function checkSize(words: number, overlap: number): void {
  if (!Number.isInteger(words) || words < 1)
    throw new SluiceError(`a passage has a whole number of words of at least 1, not ${words}`);
  if (!Number.isInteger(overlap) || overlap < 0 || overlap >= words)
    throw new SluiceError(`passages overlap by a whole number of words below ${words}, not ${overlap}`);
}

function isSameSection(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((heading, i) => heading === b[i]);
}

/** The whole block; or, if it is too long, its sentences or lines, each cut at `most` words. */
function* splitBlock(block: Block, most: number): Generator<BlockPart> {
  const { text, kind, isContinued, goesOn } = block;
  const words = countWords(text);
  const spans = new BlockSpans(block);
  const frame = frameOf(block, most);
  const firstGlue = isContinued ? "\n" : BETWEEN_BLOCKS;
  if (words + (isContinued || goesOn ? frame.words : 0) <= most) {
    const framed = { ...(isContinued && { before: frame.before }), ...(goesOn && { after: frame.after }) };
    yield { text, kind, words, glue: firstGlue, ...framed, ...spans.next(text) };
    return;
  }
  const pieces = [...piecesOf(block, most, frame)].flatMap((piece) => [...cutAt(most - frame.words, piece)]);
  for (const [i, { text: short, glue }] of pieces.entries()) {
    const isLast = i === pieces.length - 1;
    yield {
      ...{ text: short, kind, words: countWords(short), glue: i === 0 ? firstGlue : glue },
      ...((i > 0 || isContinued) && { before: frame.before }),
      ...((!isLast || goesOn) && { after: frame.after }),
      ...spans.next(short),
    };
  }
}

interface CountedFrame {
  readonly before?: BlockPart["before"];
  readonly after?: BlockPart["after"];
  /** The words of both. */
  readonly words: number;
}

/** The frame of the passages of a block; empty if it has none, or one that is too long. */
function frameOf({ frame }: Block, most: number): CountedFrame {
  if (!frame) return { words: 0 };
  const toPiece = (text: string) => ({ text, glue: "\n", words: countWords(text) });
  const before = toPiece(frame.before.join("\n"));
  const after = frame.after === undefined ? undefined : toPiece(frame.after);
  const words = before.words + (after?.words ?? 0);
  return words > most * MOST_FRAME ? { words: 0 } : { before, ...(after && { after }), words };
}

/** The sentences or lines of a block. The lines of a frame stay with the line beside them, so that no passage is a frame alone. */
function piecesOf(block: Block, most: number, { before, words }: CountedFrame): Piece[] {
  const pieces = block.kind === "lines" ? splitLines(block.text) : splitSentences(block.text);
  const joins = (some: readonly Piece[]) =>
    some.length > 1 && some.reduce((sum, { text }) => sum + countWords(text), 0) <= most - words;
  if (!before || block.isContinued) return pieces;
  const head = pieces.slice(0, (block.frame?.before.length ?? 0) + 1);
  const begun = joins(head) ? [{ text: joinPieces(head), glue: "" }, ...pieces.slice(head.length)] : pieces;
  const tail = begun.slice(-2);
  if (block.frame?.after === undefined || block.goesOn || !joins(tail)) return begun;
  return [...begun.slice(0, -2), { text: joinPieces(tail), glue: "\n" }];
}

/** Finds the parts of a block in the whole text, one after the other. Parts differ from the block in white space only. */
class BlockSpans {
  readonly #text: string;
  readonly #lines: readonly LineStart[];
  #line = 0;
  #column = 0;
  #at = 0;

  constructor({ text, lines }: Block) {
    this.#text = text;
    this.#lines = lines;
  }

  /** Where the next part begins and ends. */
  next(part: string): TextSpan {
    const letters = part.match(/\S/g)?.length ?? 0;
    while (this.#at < this.#text.length && /\s/.test(this.#text[this.#at])) this.#step();
    const start = this.#offset;
    const { number: line } = this.#lines[this.#line];
    let end = start;
    for (let left = letters; left > 0 && this.#at < this.#text.length; ) {
      const isLetter = !/\s/.test(this.#text[this.#at]);
      this.#step();
      if (!isLetter) continue;
      left--;
      end = this.#offset;
    }
    return { start, end, line };
  }

  get #offset(): number {
    return this.#lines[this.#line].start + this.#column;
  }

  #step(): void {
    if (this.#text[this.#at++] === "\n") [this.#line, this.#column] = [this.#line + 1, 0];
    else this.#column++;
  }
}

function splitLines(text: string): Piece[] {
  return text.split("\n").map((line) => ({ text: line, glue: "\n" }));
}

/** The sentences of a text. Not every script puts a space between them. */
function splitSentences(text: string): Piece[] {
  const pieces: Piece[] = [];
  let isApart = false;
  for (const { segment } of sentences.segment(text)) {
    const sentence = segment.trim();
    const glue = isApart || /^\s/.test(segment) ? " " : "";
    if (sentence !== "") pieces.push({ text: sentence, glue });
    isApart = /\s$/.test(segment);
  }
  return pieces;
}

/** A piece; or, if it is too long, pieces of `most` words. */
function* cutAt(most: number, piece: Piece): Generator<Piece> {
  const words = splitIntoWords(piece.text);
  if (words.length <= most) {
    yield piece;
    return;
  }
  for (let i = 0; i < words.length; i += most) {
    const { glue } = i === 0 ? piece : words[i];
    yield { text: joinPieces(words.slice(i, i + most)), glue };
  }
}

/** The last sentences of a text, at most `most` words in all; the last words, if the last sentence is longer. */
function lastSentences(text: string, most: number): string {
  const all = splitSentences(text);
  const sizes = all.map((sentence) => countWords(sentence.text));
  let [first, size] = [all.length, 0];
  while (first > 0 && size + sizes[first - 1] <= most) size += sizes[--first];
  return joinPieces(first < all.length ? all.slice(first) : splitIntoWords(text).slice(-most));
}
