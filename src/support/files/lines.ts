// A file or a stream → numbered lines, plain or gzip, streamed. Every line knows its place, for error messages.

import { type FileSource, sourceName } from "./source.ts";
import { decodeText, type OnBytes } from "./text-file.ts";

export interface Line {
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  /** Where it begins in the whole text, in UTF-16 units. */
  readonly start: number;
  /** "file:line", for messages. */
  readonly where: string;
}

interface LineOptions {
  /** True: blank lines are returned, too. */
  keepsBlank?: boolean;
  /** A line with more characters is returned in pieces, so that a file without line ends does not fill the memory. */
  longest?: number;
  /** Called after every piece that is read, with its size on the disk. */
  onBytes?: OnBytes | undefined;
}

/** The lines of a text file, without blank ones. A file that begins like gzip is unpacked. */
export async function* readLines(
  source: FileSource,
  { keepsBlank = false, longest = Number.POSITIVE_INFINITY, onBytes }: LineOptions = {},
): AsyncGenerator<Line> {
  const path = sourceName(source);
  let number = 0;
  let begins = 0; // where the current line begins in the whole text
  let begun: string[] = []; // the parts of a line whose end is not read yet
  let waiting = 0; // their characters
  for await (const chunk of decodeText(source, onBytes)) {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
      const text = begun.length > 0 ? begun.join("") + chunk.slice(start, end) : chunk.slice(start, end);
      begun = [];
      waiting = 0;
      start = end + 1;
      const line = toLine(text, path, ++number, begins, keepsBlank);
      begins += text.length + 1;
      if (line) yield line;
    }
    if (start < chunk.length) begun.push(start > 0 ? chunk.slice(start) : chunk);
    waiting += chunk.length - start;
    if (waiting > longest) {
      const whole = begun.join("");
      const cut = whole.lastIndexOf(" ") + 1 || whole.length;
      yield { text: whole.slice(0, cut), number: number + 1, start: begins, where: `${path}:${number + 1}` };
      begins += cut;
      begun = [whole.slice(cut)];
      waiting = whole.length - cut;
    }
  }
  const last = toLine(begun.join(""), path, number + 1, begins, false);
  if (last) yield last;
}

function toLine(
  text: string,
  path: string,
  number: number,
  start: number,
  keepsBlank: boolean,
): Line | undefined {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  return !keepsBlank && line.trim() === ""
    ? undefined
    : { text: line, number, start, where: `${path}:${number}` };
}
