// Objects → a file of JSON Lines; gzip if its name ends in .gz. The file is written under a temporary name and renamed when
// it is complete. An older file stays until then.

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { withFileErrors } from "../../../support/files/file-error.ts";
import { makeFolders } from "../../../support/files/make-folders.ts";

class LineWriter {
  readonly #path: string;
  readonly #temporary: string;
  readonly #into: Writable;
  readonly #end: Promise<void>;

  private constructor(path: string, temporary: string) {
    this.#path = path;
    this.#temporary = temporary;
    const file = createWriteStream(temporary);
    this.#end = finished(file);
    this.#end.catch(() => {}); // the next `add` or `close` throws it
    this.#into = path.endsWith(".gz") ? createGzip() : file;
    if (this.#into !== file) {
      this.#into.pipe(file);
      file.on("error", (error) => this.#into.destroy(error));
    }
    this.#into.on("error", () => {});
  }

  static async open(path: string): Promise<LineWriter> {
    await withFileErrors(path, () => makeFolders(dirname(path)));
    return new LineWriter(path, `${path}.${process.pid}.tmp`);
  }

  /** Writes an object as a line of JSON. */
  async add(object: unknown): Promise<void> {
    await withFileErrors(this.#path, async () => {
      if (this.#into.errored) throw this.#into.errored;
      if (!this.#into.write(`${JSON.stringify(object)}\n`)) await once(this.#into, "drain");
    });
  }

  async close(): Promise<void> {
    await withFileErrors(this.#path, async () => {
      this.#into.end();
      await this.#end;
      await rename(this.#temporary, this.#path);
    });
  }

  /** Deletes the unfinished file. */
  async abort(): Promise<void> {
    this.#into.destroy();
    await rm(this.#temporary, { force: true });
  }
}

/** Writes a complete file, or none if `write` fails. */
export async function writeLines(path: string, write: (file: LineWriter) => Promise<void>): Promise<void> {
  const file = await LineWriter.open(path);
  try {
    await write(file);
    await file.close();
  } catch (error) {
    await file.abort().catch(() => {}); // report the first error, not this one
    throw error;
  }
}
