// A pool of one thread, for builds and merges. The thread runs build-thread.ts: it compresses documents while others arrive, lays
// out vectors while the main thread lays out terms, and lays out merged segments while searches go on, one task after the other.

import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Rows, Vectors } from "../../densify/rows.ts";
import { type CodeOptions, type Layout, layOut, type SemanticLayout } from "../../segment/layout.ts";
import type { Dictionary } from "../../store/packed/dictionary.ts";
import type { DocumentJson } from "../../store/packed/group.ts";
import type { PackedGroup } from "../../store/packed/pack.ts";
import { findThreadFile } from "../../support/work/thread-file.ts";
import { BUILD_STATE, type BuildReply, type BuildTask } from "./build-messages.ts";

interface Waiting {
  resolve(result: never): void;
  reject(error: Error): void;
}

export class BuildPool {
  readonly #worker: Worker;
  /** The callers that wait for a reply, in the order of their tasks. */
  readonly #waiting: Waiting[] = [];
  readonly #state = new Int32Array(new SharedArrayBuffer(8));

  /** Starts the thread. Returns undefined if no thread can be started. */
  static start(): BuildPool | undefined {
    const file = findThreadFile(new URL("./build-thread.js", import.meta.url));
    return file && new BuildPool(file);
  }

  private constructor(url: URL) {
    this.#worker = new Worker(url, { workerData: this.#state });
    this.#worker.unref();
    this.#worker.on("message", (reply: BuildReply) => {
      const { resolve, reject } = this.#waiting.shift()!;
      if (this.#waiting.length === 0 && !this.#isClosing) this.#worker.unref();
      if ("error" in reply) reject(reply.error);
      else resolve(reply.result as never);
    });
    this.#worker.on("error", (error) => this.#end(error));
    this.#worker.on("exit", () => this.#end(new Error("the build thread has ended")));
  }

  /** Packs documents, which are in the order of their serial numbers, into groups. */
  pack(documents: readonly DocumentJson[], dictionary: Dictionary | undefined): Promise<PackedGroup[]> {
    const serials = new Float64Array(documents.length);
    const ends = new Uint32Array(documents.length);
    let end = 0;
    for (let i = 0; i < documents.length; i++) {
      const { serial, json } = documents[i];
      end += json.length;
      serials[i] = serial;
      ends[i] = end;
    }
    const all = new Uint8Array(end);
    for (let i = 0; i < documents.length; i++) all.set(documents[i].json, ends[i] - documents[i].json.length);
    const task: BuildTask = { kind: "pack", serials, ends, json: all, dictionary };
    return this.#ask(task, [serials.buffer, ends.buffer, all.buffer]);
  }

  /** Vectors in shared memory are not copied. */
  layOutVectors(vectors: Vectors): Promise<SemanticLayout> {
    return this.#ask({ kind: "layOutVectors", vectors });
  }

  layOut(rows: Rows, quantize: CodeOptions | undefined): Promise<Layout> {
    return this.#ask({ kind: "layOut", rows, quantize });
  }

  /** Ends the thread, after the group that it is compressing. */
  async close(): Promise<void> {
    Atomics.store(this.#state, BUILD_STATE.stop, 1);
    this.#worker.ref(); // keeps the process alive until the thread has ended
    while (Atomics.load(this.#state, BUILD_STATE.packing) === 1) await setTimeout(1);
    await this.#worker.terminate();
  }

  get #isClosing(): boolean {
    return Atomics.load(this.#state, BUILD_STATE.stop) === 1;
  }

  #ask<T>(task: BuildTask, transfer: ArrayBuffer[] = []): Promise<T> {
    this.#worker.ref(); // keeps the process alive until the answer comes
    this.#worker.postMessage(task, transfer);
    const answer = new Promise<T>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    answer.catch(() => {}); // the caller sees the error, unless another one came first
    return answer;
  }

  #end(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/** Fewer rows are laid out sooner than a thread starts. */
const LEAST_ROWS = 4096;

/** Lays out rows on a thread, if that is possible and worth it, so that other work can run. */
export async function layOutOnThread(rows: Rows, quantize: CodeOptions | undefined): Promise<Layout> {
  const thread = rows.docs < LEAST_ROWS ? undefined : BuildPool.start();
  if (!thread) return layOut(rows, { quantize });
  try {
    return await thread.layOut(rows, quantize);
  } finally {
    await thread.close();
  }
}
