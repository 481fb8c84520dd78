// Text files, read plain or gzip, and written.

import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileError, NotTextError, withFileErrors } from "./file-error.ts";
import { gunzipStream } from "./gzip.ts";
import { makeFolders } from "./make-folders.ts";
import { type FileSource, sourceName } from "./source.ts";

export type OnBytes = (bytes: number) => void;

/** The whole text of a file, plain or gzip. */
export async function readText(source: FileSource): Promise<string> {
  let text = "";
  for await (const chunk of decodeText(source)) text += chunk;
  return text;
}

/** Writes a text file. Creates its folder if there is none. */
export async function writeText(path: string, text: string): Promise<void> {
  await withFileErrors(path, async () => {
    await makeFolders(dirname(path));
    await writeFile(path, text);
  });
}

/** The text of a file, plain or gzip, in chunks as they are read. A byte order mark is left out. */
export async function* decodeText(source: FileSource, onBytes?: OnBytes): AsyncGenerator<string> {
  const path = sourceName(source);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch {
      throw new NotTextError(`${path}: not UTF-8 text`);
    }
  };
  const file = typeof source === "string" ? createReadStream(source) : undefined;
  const bytes = countBytes(typeof source === "string" ? file! : source.bytes, onBytes);
  try {
    for await (const chunk of gunzipStream(bytes)) yield decode(chunk);
    yield decode();
  } catch (error) {
    throw fileError(error, path);
  } finally {
    file?.destroy(); // closes the file if the caller stops reading early
  }
}

async function* countBytes(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onBytes: OnBytes | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    onBytes?.(chunk.byteLength);
    yield chunk;
  }
}
