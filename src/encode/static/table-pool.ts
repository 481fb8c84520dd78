// A table on a thread of its own, for calls that add many documents: it encodes the next ones while the main thread analyzes
// those before. A vector depends on its text alone, so it has the same bits wherever it is made.

import { Worker } from "node:worker_threads";
import { findThreadFile } from "../../support/work/thread-file.ts";
import type { StaticEncoder } from "./static-encoder.ts";
import type { TableFile, TableReply, TableTask } from "./table-messages.ts";

export class TablePool {
  readonly #worker: Worker;
  /** What resolves each answer, in the order of the tasks. */
  readonly #waiting: ((vectors: Uint16Array | undefined) => void)[] = [];
  #isReady = false;
  #hasEnded = false;
  /** Resolves when the thread has ended: it was closed, or could not open its table. */
  readonly ended: Promise<void>;

  /** Undefined if no thread can be started. */
  static start(encoder: StaticEncoder): TablePool | undefined {
    const file = findThreadFile(new URL("./table-thread.js", import.meta.url));
    return file && new TablePool(file, encoder);
  }

  private constructor(url: URL, { path, description, fingerprint }: StaticEncoder) {
    this.#worker = new Worker(url, { workerData: { path, description, fingerprint } satisfies TableFile });
    this.#worker.unref();
    this.#worker.on("message", (reply: TableReply) => {
      if (this.#hasEnded) return; // nobody waits any more
      if (reply.kind === "ready") this.#isReady = true;
      else this.#waiting.shift()!(reply.vectors);
      if (this.#waiting.length === 0) this.#worker.unref();
    });
    this.#worker.on("error", () => this.#end());
    this.ended = new Promise((resolve) => {
      this.#worker.on("exit", () => {
        this.#end();
        resolve();
      });
    });
  }

  /** Whether the thread has opened its table. Until then, and after it has ended, the main thread encodes. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** The vectors of documents' texts as float16 bits, one after another; undefined if the thread has ended before. */
  async encode(texts: TableTask): Promise<Uint16Array | undefined> {
    if (!this.#isReady) return undefined;
    this.#worker.ref(); // keeps the process alive until the answer comes
    this.#worker.postMessage(texts);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Ends the thread. A second call does nothing. */
  async close(): Promise<void> {
    this.#end();
    await this.#worker.terminate();
  }

  #end(): void {
    this.#hasEnded = true;
    this.#isReady = false;
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
  }
}
