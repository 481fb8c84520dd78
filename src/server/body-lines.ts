// The bytes of a body → its lines, in time linear in their number. Newlines are looked for in new bytes only; what came of
// a line so far is kept in parts, and joined once, when its end is there.

import { HttpError, tooLarge } from "./http-errors.ts";

export interface BodyLine {
  /** From 1, blank lines counted. */
  readonly number: number;
  readonly text: string;
}

const NEWLINE = 0x0a;

/** The lines of a body that is UTF-8, without those that are empty. A line of more than `longest` bytes is refused. */
export async function* bodyLines(
  bytes: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<BodyLine> {
  let number = 1;
  /** The line that has not ended yet. */
  let parts: Uint8Array[] = [];
  let length = 0;
  const keep = (part: Uint8Array) => {
    length += part.length;
    if (length > longest) throw tooLarge(longest, `line ${number}`);
    if (part.length > 0) parts.push(part);
  };
  const taken = (): BodyLine => {
    const line = { number, text: decoded(parts.length === 1 ? parts[0] : Buffer.concat(parts, length)) };
    parts = [];
    length = 0;
    return line;
  };
  for await (const part of bytes) {
    let start = 0;
    for (let end = part.indexOf(NEWLINE); end >= 0; end = part.indexOf(NEWLINE, start)) {
      keep(part.subarray(start, end));
      if (length > 0) yield taken();
      number++;
      start = end + 1;
    }
    keep(part.subarray(start));
  }
  if (length > 0) yield taken();
}

/** Bytes as text, which they must be. */
export function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new HttpError(400, "malformed_json", "the body is not UTF-8 text");
  }
}
