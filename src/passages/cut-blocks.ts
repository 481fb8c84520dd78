// Blocks of a text (paragraphs, lists, code) → the texts of passages. A passage ends where a block ends. A block that is too long
// is cut between sentences; lists, tables and code between lines. Only a sentence or a line that is still too long is cut between
// words. A new section always begins a new passage. text-words.ts says what a word is, in scripts without spaces, too.

import { UsageError } from "../support/errors/usage-error.ts";
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
  /** The line it begins on, from 1. */
  readonly line: number;
  /** Where each of its lines begins in the whole text, in UTF-16 units. */
  readonly lineStarts: readonly number[];
  /** The headings it is under, the outermost first. */
  readonly headings: readonly string[];
  /** Prose is cut between sentences; lists, tables and code between lines. */
  readonly kind: "prose" | "lines";
}

/** Where something begins and ends in the whole text, in UTF-16 units. */
interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** The text of a passage. Its span is without the words that it repeats. */
interface PassageText extends TextSpan {
  readonly text: string;
  readonly line: number;
  readonly headings: readonly string[];
}

/** The most words of a passage, if nobody says how many. */
export const USUAL_WORDS = 200;
const BETWEEN_BLOCKS = "\n\n";
const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

/** A part of a block. `glue` goes between it and the part before. */
interface BlockPart extends Piece, TextSpan {
  readonly kind: Block["kind"];
  readonly words: number;
}

/** The passages of blocks, in order. Only the one that is being made is in memory. */
export async function* cutBlocks(
  blocks: AsyncIterable<Block> | Iterable<Block>,
  { words: most = USUAL_WORDS, overlap = 0 }: PassageSize = {},
): AsyncGenerator<PassageText> {
  checkSize(most, overlap);
  let parts: BlockPart[] = [];
  let [size, repeated, line] = [0, 0, 0];
  let headings: readonly string[] = [];
  const made = (): PassageText => {
    const [{ start }, { end }] = [parts[repeated], parts.at(-1)!];
    return { text: joinPieces(parts), line, headings, start, end };
  };
  for await (const block of blocks) {
    if (!isSameSection(headings, block.headings)) {
      if (parts.length > repeated) yield made();
      [parts, size, repeated] = [[], 0, 0];
    }
    headings = block.headings;
    for (const part of splitBlock(block, most)) {
      if (parts.length > repeated && size + part.words > most) {
        yield made();
        const tail =
          overlap === 0 || parts.at(-1)!.kind === "lines" ? "" : lastSentences(joinPieces(parts), overlap);
        const kept = tail === "" ? 0 : countWords(tail);
        // No overlap if the next part would then not fit: keeping the part whole is worth more.
        const fits = kept > 0 && kept + part.words <= most;
        const { start, end } = part;
        parts = fits ? [{ text: tail, kind: "prose", words: kept, glue: "", start, end }] : [];
        [size, repeated] = [fits ? kept : 0, parts.length];
      }
      if (parts.length === repeated) line = block.line;
      parts.push(part);
      size += part.words;
    }
  }
  if (parts.length > repeated) yield made();
}

function checkSize(words: number, overlap: number): void {
  if (!Number.isInteger(words) || words < 1)
    throw new UsageError(`a passage has a whole number of words of at least 1, not ${words}`);
  if (!Number.isInteger(overlap) || overlap < 0 || overlap >= words)
    throw new UsageError(`passages overlap by a whole number of words below ${words}, not ${overlap}`);
}

function isSameSection(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((heading, i) => heading === b[i]);
}

/** The whole block; or, if it is too long, its sentences or lines, each cut at `most` words. */
function* splitBlock(block: Block, most: number): Generator<BlockPart> {
  const { text, kind } = block;
  const words = countWords(text);
  const spans = new BlockSpans(block);
  if (words <= most) {
    yield { text, kind, words, glue: BETWEEN_BLOCKS, ...spans.next(text) };
    return;
  }
  let isFirst = true;
  for (const piece of kind === "lines" ? splitLines(text) : splitSentences(text)) {
    for (const { text: short, glue } of cutAt(most, piece)) {
      const between = isFirst ? BETWEEN_BLOCKS : glue;
      yield { text: short, kind, words: countWords(short), glue: between, ...spans.next(short) };
      isFirst = false;
    }
  }
}

/** Finds the parts of a block in the whole text, one after the other. Parts differ from the block in white space only. */
class BlockSpans {
  readonly #text: string;
  readonly #lineStarts: readonly number[];
  #line = 0;
  #column = 0;
  #at = 0;

  constructor({ text, lineStarts }: Block) {
    this.#text = text;
    this.#lineStarts = lineStarts;
  }

  /** Where the next part begins and ends. */
  next(part: string): TextSpan {
    const letters = part.match(/\S/g)?.length ?? 0;
    while (this.#at < this.#text.length && /\s/.test(this.#text[this.#at])) this.#step();
    const start = this.#offset;
    let end = start;
    for (let left = letters; left > 0 && this.#at < this.#text.length; ) {
      const isLetter = !/\s/.test(this.#text[this.#at]);
      this.#step();
      if (!isLetter) continue;
      left--;
      end = this.#offset;
    }
    return { start, end };
  }

  get #offset(): number {
    return this.#lineStarts[this.#line] + this.#column;
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
