// A file or a stream → numbered lines, plain or gzip, streamed. Every line knows its place, for error messages.

import { createReadStream } from "node:fs";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { abridged, type ErrorCode, UsageError } from "../../errors.ts";
import { fileError, withFileErrors } from "../../support/environment/file-error.ts";
import { type FileSource, nameOf } from "./source.ts";

export interface Line {
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  /** "file:line", for messages. */
  readonly where: string;
}

interface LineOptions {
  /** True: blank lines are returned, too. */
  blank?: boolean;
  /** A line with more characters is returned in pieces, so that a file without line ends does not fill the memory. */
  longest?: number;
  /** Called after every piece that is read, with its size on the disk. */
  onBytes?: OnBytes | undefined;
}

export type OnBytes = (bytes: number) => void;

/** The lines of a text file, without blank ones. A file that begins like gzip is unpacked. */
export async function* lines(
  source: FileSource,
  { blank = false, longest = Number.POSITIVE_INFINITY, onBytes }: LineOptions = {},
): AsyncGenerator<Line> {
  const path = nameOf(source);
  let number = 0;
  let begun: string[] = []; // the parts of a line whose end is not read yet
  let waiting = 0; // their characters
  for await (const chunk of decoded(source, onBytes)) {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
      const text = begun.length > 0 ? begun.join("") + chunk.slice(start, end) : chunk.slice(start, end);
      begun = [];
      waiting = 0;
      start = end + 1;
      const line = numbered(text, path, ++number, blank);
      if (line) yield line;
    }
    if (start < chunk.length) begun.push(start > 0 ? chunk.slice(start) : chunk);
    waiting += chunk.length - start;
    if (waiting > longest) {
      const whole = begun.join("");
      const cut = whole.lastIndexOf(" ") + 1 || whole.length;
      yield { text: whole.slice(0, cut), number: number + 1, where: `${path}:${number + 1}` };
      begun = [whole.slice(cut)];
      waiting = whole.length - cut;
    }
  }
  const last = numbered(begun.join(""), path, number + 1, false);
  if (last) yield last;
}

function numbered(text: string, path: string, number: number, blank: boolean): Line | undefined {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  return !blank && line.trim() === "" ? undefined : { text: line, number, where: `${path}:${number}` };
}

/** The whole text of a file, plain or gzip. */
export async function readText(source: FileSource): Promise<string> {
  let text = "";
  for await (const chunk of decoded(source)) text += chunk;
  return text;
}

/** Writes a text file. Creates its folder if there is none. */
export async function writeText(path: string, text: string): Promise<void> {
  await withFileErrors(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  });
}

/** A line as a JSON object. */
export function parseObject(line: Line): Record<string, unknown> {
  const value = parseJson(line.text, line.where);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError(`${line.where}: expected a JSON object, found ${abridged(line.text)}`);
  }
  return value as Record<string, unknown>;
}

export function parseJson(text: string, where: string, code?: ErrorCode, hint?: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${where}: not valid JSON: ${(error as Error).message}`, hint, code);
  }
}

/** The first of these fields that is a text. A whole number is accepted, too: ids are often numbers. Throws if there is none. */
export function textField(object: Record<string, unknown>, names: readonly string[], where: string): string {
  for (const name of names) {
    const value = object[name];
    if (typeof value === "string") return value;
    if (typeof value !== "number") continue;
    if (Number.isSafeInteger(value)) return String(value);
    throw new UsageError(
      `${where}: "${name}" is a number with more digits than can be kept`,
      "write it as a text",
    );
  }
  throw new UsageError(`${where}: no ${names.map((name) => `"${name}"`).join(" or ")}`);
}

/** The files of a folder that have one of these endings, in name order. If `path` is a file, the file itself. */
export async function filesOf(path: string, endings: readonly string[]): Promise<string[]> {
  const found = await statOf(path);
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => endings.some((ending) => name.endsWith(ending)));
  if (names.length === 0) throw new UsageError(`${path}: no file that ends in ${endings.join(", ")}`);
  return names.sort().map((name) => join(path, name));
}

export function statOf(path: string) {
  return withFileErrors(path, () => stat(path));
}

/** The text of a file, plain or gzip, in chunks as they are read. A byte order mark is left out. */
export async function* decoded(source: FileSource, onBytes?: OnBytes): AsyncGenerator<string> {
  const path = nameOf(source);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      throw new UsageError(`${path}: not UTF-8 text`);
    }
  };
  const file = typeof source === "string" ? createReadStream(source) : undefined;
  const bytes = counted(typeof source === "string" ? file! : source.bytes, onBytes);
  try {
    for await (const chunk of unpacked(bytes)) yield decode(chunk);
    yield decode();
  } catch (error) {
    throw fileError(error, path);
  } finally {
    file?.destroy(); // closes the file if the caller stops reading early
  }
}

async function* counted(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onBytes: OnBytes | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    onBytes?.(chunk.byteLength);
    yield chunk;
  }
}

/** The first bytes of gzip data. */
const GZIP = [0x1f, 0x8b];

/** The bytes of a stream, unpacked if they begin like gzip. It looks at the content because a pipe has no name. */
export async function* unpacked(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const chunks = (async function* () {
    yield* source;
  })();
  const first: Uint8Array[] = [];
  for (let bytes = 0; bytes < GZIP.length; ) {
    const next = await chunks.next();
    if (next.done) break;
    first.push(next.value);
    bytes += next.value.byteLength;
  }
  const rest = async function* () {
    yield* first.splice(0);
    yield* chunks;
  };
  const start = first.flatMap((chunk) => [...chunk.subarray(0, GZIP.length)]);
  if (!GZIP.every((byte, i) => start[i] === byte)) {
    yield* rest();
    return;
  }
  const gunzip = createGunzip();
  pipeline(rest(), gunzip).catch(() => {}); // the reader of gunzip gets the error
  yield* gunzip as AsyncIterable<Uint8Array>;
}
