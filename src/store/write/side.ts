// A side thread for builds and merges. It compresses documents while others arrive, lays out vectors while terms are laid out, and
// lays out merged segments while searches go on. It does one task after the other.

import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Rows, Vectors } from "../../densify/rows.ts";
import { type Layout, layOut, type Quantize, type SemanticLayout } from "../../segment/layout.ts";
import type { Dictionary } from "../packed/dictionary.ts";
import type { StoredDocument } from "../packed/group.ts";
import type { PackedGroup } from "../packed/pack.ts";

/** A task for the thread. */
export type SideTask =
  | {
      readonly kind: "pack";
      readonly serials: Float64Array;
      /** By document: the end of its JSON. */
      readonly ends: Uint32Array;
      readonly json: Uint8Array;
      readonly dictionary: Dictionary | undefined;
    }
  | { readonly kind: "layOutVectors"; readonly vectors: Vectors }
  | { readonly kind: "layOut"; readonly rows: Rows; readonly quantize: Quantize | undefined };

/** Positions in an array that both threads share. */
export const STATE = {
  /** 1 if the thread is to stop. */
  stop: 0,
  /** 1 while the thread is inside zlib. Terminating it there would end the process. */
  packing: 1,
} as const;

export type SideReply = { readonly result: unknown } | { readonly error: Error };

interface Waiting {
  resolve(result: never): void;
  reject(error: Error): void;
}

export class SideThread {
  readonly #worker: Worker;
  /** In the order of their tasks. */
  readonly #waiting: Waiting[] = [];
  readonly #state = new Int32Array(new SharedArrayBuffer(8));

  /** Undefined if the thread's file is missing: in a bundle, or if TypeScript sources run directly. */
  static start(): SideThread | undefined {
    const url = new URL("./side-thread.js", import.meta.url);
    return url.protocol === "file:" && existsSync(fileURLToPath(url)) ? new SideThread(url) : undefined;
  }

  private constructor(url: URL) {
    this.#worker = new Worker(url, { workerData: this.#state });
    this.#worker.unref();
    this.#worker.on("message", (reply: SideReply) => {
      const { resolve, reject } = this.#waiting.shift()!;
      if (this.#waiting.length === 0 && !this.#isClosing) this.#worker.unref();
      if ("error" in reply) reject(reply.error);
      else resolve(reply.result as never);
    });
    this.#worker.on("error", (error) => this.#end(error));
    this.#worker.on("exit", () => this.#end(new Error("the side thread has ended")));
  }

  /** Packs documents, which are in the order of their serial numbers, into groups. */
  pack(documents: readonly StoredDocument[], dictionary: Dictionary | undefined): Promise<PackedGroup[]> {
    const serials = Float64Array.from(documents, ({ serial }) => serial);
    const ends = new Uint32Array(documents.length);
    let end = 0;
    for (const [i, { json }] of documents.entries()) {
      end += json.length;
      ends[i] = end;
    }
    const all = new Uint8Array(end);
    for (const [i, { json }] of documents.entries()) all.set(json, ends[i] - json.length);
    const task: SideTask = { kind: "pack", serials, ends, json: all, dictionary };
    return this.#ask(task, [serials.buffer, ends.buffer, all.buffer]);
  }

  /** Vectors in shared memory are not copied. */
  layOutVectors(vectors: Vectors): Promise<SemanticLayout> {
    return this.#ask({ kind: "layOutVectors", vectors });
  }

  layOut(rows: Rows, quantize: Quantize | undefined): Promise<Layout> {
    return this.#ask({ kind: "layOut", rows, quantize });
  }

  /** Ends the thread, after the group that it is compressing. */
  async close(): Promise<void> {
    Atomics.store(this.#state, STATE.stop, 1);
    this.#worker.ref(); // keeps the process alive until the thread has ended
    while (Atomics.load(this.#state, STATE.packing) === 1) await setTimeout(1);
    await this.#worker.terminate();
  }

  get #isClosing(): boolean {
    return Atomics.load(this.#state, STATE.stop) === 1;
  }

  #ask<T>(task: SideTask, transfer: ArrayBuffer[] = []): Promise<T> {
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
export async function layOutBeside(rows: Rows, quantize: Quantize | undefined): Promise<Layout> {
  const side = rows.docs < LEAST_ROWS ? undefined : SideThread.start();
  if (!side) return layOut(rows, { quantize });
  try {
    return await side.layOut(rows, quantize);
  } finally {
    await side.close();
  }
}
