// File → numbered lines, plain or gzip, streamed. Whoever reads a line can say where it stood.

import { createReadStream } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { UsageError } from "../errors.ts";

export interface Line {
  readonly text: string;
  /** "file:line", for messages. */
  readonly where: string;
}

/** The lines of a text file, without the empty ones. A file that begins like gzip is unpacked. */
export async function* lines(path: string): AsyncGenerator<Line> {
  let number = 0;
  let rest = "";
  for await (const chunk of decoded(path)) {
    const pieces = (rest + chunk).split("\n");
    rest = pieces.pop()!;
    for (const piece of pieces) {
      number++;
      const line = numbered(piece, path, number);
      if (line) yield line;
    }
  }
  const last = numbered(rest, path, number + 1);
  if (last) yield last;
}

function numbered(text: string, path: string, number: number): Line | undefined {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  return line.trim() === "" ? undefined : { text: line, where: `${path}:${number}` };
}

/** The whole text of a file, plain or gzip. */
export async function readText(path: string): Promise<string> {
  let text = "";
  for await (const chunk of decoded(path)) text += chunk;
  return text;
}

/** A line as a JSON object. */
export function parseObject(line: Line): Record<string, unknown> {
  const value = parseJson(line.text, line.where);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError(`${line.where}: expected a JSON object, found ${abridged(line.text)}`);
  }
  return value as Record<string, unknown>;
}

export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${where}: not valid JSON: ${(error as Error).message}`);
  }
}

/** A field that must be there and be a text; numbers are taken too, for ids are often written so. */
export function textField(object: Record<string, unknown>, names: readonly string[], where: string): string {
  for (const name of names) {
    const value = object[name];
    if (typeof value === "string") return value;
    if (typeof value === "number") return String(value);
  }
  throw new UsageError(`${where}: no ${names.map((name) => `"${name}"`).join(" or ")}`);
}

/** The files of a folder with one of these endings, in name order; or the file itself. */
export async function filesOf(path: string, endings: readonly string[]): Promise<string[]> {
  const found = await statOf(path);
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => endings.some((ending) => name.endsWith(ending)));
  if (names.length === 0) throw new UsageError(`${path}: no file that ends in ${endings.join(", ")}`);
  return names.sort().map((name) => join(path, name));
}

async function statOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    throw readable(error, path);
  }
}

async function* decoded(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      throw new UsageError(`${path}: not UTF-8 text`);
    }
  };
  try {
    const packed = await isGzip(path);
    const source = createReadStream(path);
    const stream = packed ? source.pipe(createGunzip()) : source;
    // pipe() does not pass errors on.
    if (stream !== source) source.on("error", (error) => stream.destroy(error));
    for await (const bytes of stream) yield decode(bytes as Uint8Array);
    yield decode();
  } catch (error) {
    throw readable(error, path);
  }
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}

/** A system's complaint about a file in words. */
function readable(error: unknown, path: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return new UsageError(`${path}: no such file or folder`);
  if (code === "EISDIR") return new UsageError(`${path}: is a folder, expected a file`);
  if (code === "EACCES") return new UsageError(`${path}: not allowed to read it`);
  if (code?.startsWith("Z_")) return new UsageError(`${path}: damaged gzip data`);
  return error;
}

/** At most 60 characters of a line, for a message. */
export function abridged(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
