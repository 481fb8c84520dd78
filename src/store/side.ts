// Work that goes on beside a build or a merge, on a thread: documents are compressed while others come, vectors are laid
// out while words are, and a merge holds up no search. One thread, one task after the other.

import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Rows, Vectors } from "../densify/rows.ts";
import { type Layout, layOut, type Quantize, type SemanticLayout } from "../segment/layout.ts";
import type { Dictionary } from "./dictionary.ts";
import type { StoredDocument } from "./group.ts";
import type { PackedGroup } from "./pack.ts";

/** What the thread is asked. */
export type SideTask =
  | {
      readonly kind: "pack";
      readonly serials: Float64Array;
      /** By document: where its JSON ends. */
      readonly ends: Uint32Array;
      readonly json: Uint8Array;
      readonly dictionary: Dictionary | undefined;
    }
  | { readonly kind: "layOutVectors"; readonly vectors: Vectors }
  | { readonly kind: "layOut"; readonly rows: Rows; readonly quantize: Quantize | undefined };

/** What both sides see: numbers of a shared array. */
export const STATE = {
  /** 1: the index is closed, and the thread begins nothing more. */
  stop: 0,
  /** 1: the thread is inside zlib, where it must not be ended: that would end the process. */
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

  /** Undefined where the thread's file is not there: in a bundle, or where sources run as they are. */
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
    this.#worker.on("exit", () => this.#end(new Error("the thread beside the build has ended")));
  }

  /** Documents, in the order of their serial numbers, as groups. */
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

  /** Vectors whose memory is shared are not copied. */
  layOutVectors(vectors: Vectors): Promise<SemanticLayout> {
    return this.#ask({ kind: "layOutVectors", vectors });
  }

  layOut(rows: Rows, quantize: Quantize | undefined): Promise<Layout> {
    return this.#ask({ kind: "layOut", rows, quantize });
  }

  /** Ends the thread after the group it compresses now. */
  async close(): Promise<void> {
    Atomics.store(this.#state, STATE.stop, 1);
    this.#worker.ref(); // nothing else may be left to wait for
    while (Atomics.load(this.#state, STATE.packing) === 1) await setTimeout(1);
    await this.#worker.terminate();
  }

  get #isClosing(): boolean {
    return Atomics.load(this.#state, STATE.stop) === 1;
  }

  #ask<T>(task: SideTask, transfer: ArrayBuffer[] = []): Promise<T> {
    this.#worker.ref(); // a process that waits for the thread has something to do
    this.#worker.postMessage(task, transfer);
    const answer = new Promise<T>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    answer.catch(() => {}); // whoever waits for it learns of it, unless something else went wrong before
    return answer;
  }

  #end(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/** A layout of fewer rows is made sooner than a thread is started. */
const LEAST_ROWS = 4096;

/** A layout made on a thread of its own, where that is worth it and can be, so that others have their turn meanwhile. */
export async function layOutBeside(rows: Rows, quantize: Quantize | undefined): Promise<Layout> {
  const side = rows.docs < LEAST_ROWS ? undefined : SideThread.start();
  if (!side) return layOut(rows, { quantize });
  try {
    return await side.layOut(rows, quantize);
  } finally {
    await side.close();
  }
}
