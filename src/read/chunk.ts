// Blocks of a text (paragraphs, lists, pieces of code) → chunks of about as many words as a passage should have. A chunk ends
// where a block does. What is longer than a chunk is cut between sentences, or lines where those mean something, and only a
// sentence that is longer still between words. A section begins a chunk of its own.

import { UsageError } from "../errors.ts";

export interface Chunking {
  /** Words a chunk has at most; 200 when left out. */
  words?: number;
  /** Words of a chunk's end that the next one of its section begins with; none when left out. */
  overlap?: number;
}

/** A piece of a text that is not cut, if it fits into a chunk. */
export interface Block {
  readonly text: string;
  /** Where it begins, from 1. */
  readonly line: number;
  /** What it stands under, the outermost first. */
  readonly headings: readonly string[];
  /** Prose is cut between sentences; lists, tables and code between lines. */
  readonly kind: "prose" | "lines";
}

export interface Chunk {
  readonly text: string;
  readonly line: number;
  readonly headings: readonly string[];
}

const USUAL_WORDS = 200;
const BETWEEN_BLOCKS = "\n\n";
const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

/** A part of a block, with what stands between it and the part before. */
interface Part {
  readonly text: string;
  readonly kind: Block["kind"];
  readonly words: number;
  readonly glue: string;
}

/** The chunks of blocks, in order; nothing is held but the chunk that is being made. */
export async function* chunks(
  blocks: AsyncIterable<Block> | Iterable<Block>,
  { words: most = USUAL_WORDS, overlap = 0 }: Chunking = {},
): AsyncGenerator<Chunk> {
  checkChunking(most, overlap);
  let parts: Part[] = [];
  let [size, repeated, line] = [0, 0, 0];
  let headings: readonly string[] = [];
  const made = (): Chunk => ({ text: joined(parts), line, headings });
  for await (const block of blocks) {
    if (!sameSection(headings, block.headings)) {
      if (parts.length > repeated) yield made();
      [parts, size, repeated] = [[], 0, 0];
    }
    headings = block.headings;
    for (const part of partsOf(block, most)) {
      if (parts.length > repeated && size + part.words > most) {
        yield made();
        const tail = overlap === 0 || parts.at(-1)!.kind === "lines" ? "" : tailOf(joined(parts), overlap);
        const kept = tail === "" ? 0 : wordsIn(tail);
        // An overlap that would leave the next part no room is worth less than the part in one piece.
        const fits = kept > 0 && kept + part.words <= most;
        parts = fits ? [{ text: tail, kind: "prose", words: kept, glue: "" }] : [];
        [size, repeated] = [fits ? kept : 0, parts.length];
      }
      if (parts.length === repeated) line = block.line;
      parts.push(part);
      size += part.words;
    }
  }
  if (parts.length > repeated) yield made();
}

function checkChunking(words: number, overlap: number): void {
  if (!Number.isInteger(words) || words < 1)
    throw new UsageError(`a chunk has a whole number of words of at least 1, not ${words}`);
  if (!Number.isInteger(overlap) || overlap < 0 || overlap >= words)
    throw new UsageError(`chunks overlap by a whole number of words below ${words}, not ${overlap}`);
}

function sameSection(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((heading, i) => heading === b[i]);
}

/** A block whole, or, where it is too long, its sentences or lines; each of them cut at `most` words. */
function* partsOf({ text, kind }: Block, most: number): Generator<Part> {
  const words = wordsIn(text);
  if (words <= most) {
    yield { text, kind, words, glue: BETWEEN_BLOCKS };
    return;
  }
  let glue = BETWEEN_BLOCKS;
  for (const piece of kind === "lines" ? text.split("\n") : sentencesOf(text)) {
    for (const short of cutAt(most, piece)) {
      yield { text: short, kind, words: wordsIn(short), glue };
      glue = " ";
    }
    glue = kind === "lines" ? "\n" : " ";
  }
}

function sentencesOf(text: string): string[] {
  return Array.from(sentences.segment(text), ({ segment }) => segment.trim()).filter((one) => one !== "");
}

function* cutAt(most: number, text: string): Generator<string> {
  if (wordsIn(text) <= most) {
    yield text;
    return;
  }
  const words = text.split(/\s+/).filter((word) => word !== "");
  for (let i = 0; i < words.length; i += most) yield words.slice(i, i + most).join(" ");
}

/** The last sentences of a text that have at most so many words; the last words, where no sentence is so short. */
function tailOf(text: string, most: number): string {
  const all = sentencesOf(text);
  let [first, size] = [all.length, 0];
  while (first > 0 && size + wordsIn(all[first - 1]) <= most) size += wordsIn(all[--first]);
  return first < all.length ? all.slice(first).join(" ") : text.trim().split(/\s+/).slice(-most).join(" ");
}

function joined(parts: readonly Part[]): string {
  return parts.map(({ text, glue }, i) => (i === 0 ? text : glue + text)).join("");
}

function wordsIn(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
