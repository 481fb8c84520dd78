// The bytes of a body → its lines, in linear time. Only new bytes are searched for newlines; the parts of an unfinished
// line are kept, and joined once when the line ends.

import { HttpError, tooLargeError } from "./http-errors.ts";

interface BodyLine {
  /** Counts from 1, with blank lines. */
  readonly number: number;
  readonly text: string;
}

const NEWLINE = 0x0a;

/** The lines of a UTF-8 body, without empty ones. A line of more than `longest` bytes is refused. */
export async function* readBodyLines(
  bytes: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<BodyLine> {
  let number = 1;
  /** The unfinished line. */
  let parts: Uint8Array[] = [];
  let length = 0;
  const keep = (part: Uint8Array) => {
    length += part.length;
    if (length > longest) throw tooLargeError(longest, { what: `line ${number}` });
    if (part.length > 0) parts.push(part);
  };
  const takeLine = (): BodyLine => {
    const line = { number, text: decodeUtf8(parts.length === 1 ? parts[0] : Buffer.concat(parts, length)) };
    parts = [];
    length = 0;
    return line;
  };
  for await (const part of bytes) {
    let start = 0;
    for (let end = part.indexOf(NEWLINE); end >= 0; end = part.indexOf(NEWLINE, start)) {
      keep(part.subarray(start, end));
      if (length > 0) yield takeLine();
      number++;
      start = end + 1;
    }
    keep(part.subarray(start));
  }
  if (length > 0) yield takeLine();
}

/** Decodes bytes; bytes that are not UTF-8 are refused. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new HttpError(400, "malformed_json", "the body is not UTF-8 text");
  }
}
