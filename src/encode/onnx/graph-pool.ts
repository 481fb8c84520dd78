// A graph on a thread of its own. While it runs a batch there, which blocks that thread, the main thread tokenizes the texts of
// the next ones. One graph has one thread: onnxruntime's WebGPU ends the process if two threads use it.

import { Worker } from "node:worker_threads";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { findThreadFile } from "../../support/work/thread-file.ts";
import type { GraphFile, GraphReply, GraphTask } from "./graph-messages.ts";
import type { GraphBatch, GraphOutputs, GraphSession } from "./graph-session.ts";

interface Waiting {
  resolve(reply: GraphReply): void;
  reject(error: Error): void;
}

/** The most batches that the thread has: one runs, and the next begins as soon as that one ends. */
const AT_ONCE = 2;

export class GraphPool implements GraphSession {
  readonly atOnce = AT_ONCE;
  inputNames: readonly string[] = [];
  outputNames: readonly string[] = [];
  readonly #worker: Worker;
  /** In the order of their tasks. */
  readonly #waiting: Waiting[] = [];
  #ended: Error | undefined;

  /** Opens a graph. Undefined if no thread can be started. */
  static async open(file: GraphFile): Promise<GraphPool | undefined> {
    const url = findThreadFile(new URL("./graph-thread.js", import.meta.url));
    if (!url) return undefined;
    const pool = new GraphPool(new Worker(url, { workerData: file }));
    try {
      const opened = await pool.#answer();
      if (opened.kind !== "opened") throw new Error(`the thread of a graph began with "${opened.kind}"`);
      pool.inputNames = opened.inputNames;
      pool.outputNames = opened.outputNames;
      return pool;
    } catch (error) {
      await pool.#worker.terminate();
      throw error;
    }
  }

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", (reply: GraphReply) => {
      const { resolve, reject } = this.#waiting.shift()!;
      if (this.#waiting.length === 0) worker.unref(); // an encoder that nobody closed does not keep the process alive
      if (reply.kind === "failed") reject(errorOf(reply));
      else resolve(reply);
    });
    worker.on("error", (error) => this.#end(error));
    worker.on("exit", () => this.#end(new Error("the thread of the graph has ended")));
  }

  async run(batch: GraphBatch): Promise<GraphOutputs> {
    const answer = this.#answer();
    this.#send({ kind: "run", batch }, [
      batch.ids.buffer as ArrayBuffer,
      batch.lengths.buffer as ArrayBuffer,
    ]);
    const reply = await answer;
    if (reply.kind !== "ran") throw new Error(`the thread of a graph answered a batch with "${reply.kind}"`);
    return reply.outputs;
  }

  /** Frees the graph, after the batches that were given to it. */
  async release(): Promise<void> {
    if (this.#ended) return;
    const ended = new Promise((resolve) => this.#worker.once("exit", resolve));
    this.#worker.ref();
    this.#send({ kind: "close" });
    await ended;
  }

  #send(task: GraphTask, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(task, transfer);
  }

  #answer(): Promise<GraphReply> {
    if (this.#ended) return Promise.reject(this.#ended);
    this.#worker.ref();
    const answer = new Promise<GraphReply>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    answer.catch(() => {}); // the caller sees the error, unless another one came first
    return answer;
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

function errorOf({ message, code }: GraphReply & { readonly kind: "failed" }): Error {
  return code === undefined ? new Error(message) : new SluiceError(message, undefined, code);
}
