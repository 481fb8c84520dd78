// A client that downloads a backup every so often, and keeps the last one.

import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { type Changes, waitIfShed } from "./changes.ts";

/** Between which changes a backup was made. */
interface Made {
  readonly first: number;
  readonly last: number;
}

export class Backups {
  readonly #url: string;
  readonly #key: string;
  readonly #changes: Changes;
  /** Where the last one is. */
  readonly file: string;
  readonly times: number[] = [];
  last: Made | undefined;
  shed = 0;
  bytes = 0;

  constructor(url: string, key: string, changes: Changes, file: string) {
    this.#url = url;
    this.#key = key;
    this.#changes = changes;
    this.file = file;
  }

  async repeatUntil(signal: AbortSignal, everyMs: number): Promise<void> {
    for (let next = performance.now() + everyMs; !signal.aborted; ) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (performance.now() < next) continue;
      await this.#download();
      next = performance.now() + everyMs;
    }
  }

  async #download(): Promise<void> {
    for (;;) {
      const [started, first] = [performance.now(), this.#changes.committed];
      const response = await fetch(`${this.#url}/backup`, {
        headers: { authorization: `Bearer ${this.#key}` },
      });
      if (await waitIfShed(response)) {
        await response.arrayBuffer();
        this.shed++;
        continue;
      }
      if (!response.ok) throw new Error(`backup: ${response.status} ${await response.text()}`);
      const last = this.#changes.committed + 1; // one more may have been committed and not answered yet
      const part = `${this.file}.part`;
      await pipeline(Readable.fromWeb(response.body as ReadableStream), createWriteStream(part));
      await rename(part, this.file);
      this.bytes = Number(response.headers.get("content-length"));
      this.times.push(performance.now() - started);
      this.last = { first, last };
      return;
    }
  }
}
