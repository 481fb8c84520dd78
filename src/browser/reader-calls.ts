// Calls from a page to its worker. Each call is a message with a number; the reply has the same number.

import type { PairScorer } from "../search/options/rerank-options.ts";
import { closedError } from "../support/errors/index-errors.ts";
import type { WorkOptions } from "../support/options/work-options.ts";
import type { ReaderOptions } from "./reader.ts";
import { deserializeError, type Port, type Reply, type Request, serializeError } from "./reader-messages.ts";

/** The part of a Worker that is used here. */
export interface WorkerLike extends Port {
  onerror?: ((event: never) => void) | null;
  terminate(): void;
}

/** What a call has and a message cannot carry, so it stays in the page. */
interface KeptInPage extends Pick<WorkOptions, "signal" | "onProgress"> {
  readonly scorer?: PairScorer | undefined;
}

interface Waiting extends KeptInPage {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** The pending calls. Each ends when the worker answers, fails or is closed. */
export class Calls {
  readonly #worker: WorkerLike;
  readonly #encode: ReaderOptions["encode"];
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;
  /** Why the worker will not answer any more. */
  #ended: Error | undefined;

  constructor(worker: WorkerLike, encode: ReaderOptions["encode"]) {
    this.#worker = worker;
    this.#encode = encode;
    worker.onmessage = ({ data }: { data: Reply }) => this.#handle(data);
    worker.onerror = ({ message = "it could not be loaded" }: { message?: string }) =>
      this.#end(new Error(`the worker of the index failed: ${message}`));
  }

  /** Sends a call, and resolves with its reply. An abort tells the worker, and rejects at once. */
  sendRequest(request: (call: number) => Request, kept: KeptInPage): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended);
    const { signal } = kept;
    const call = this.#next++;
    const cancel = () => {
      this.#send({ kind: "cancel", call });
      this.#waiting.get(call)?.reject(signal!.reason);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject, ...kept });
      this.#send(request(call)); // throws if something cannot be cloned, such as a function in a query
    }).finally(() => {
      this.#waiting.delete(call);
      signal?.removeEventListener("abort", cancel);
    });
  }

  close(): void {
    this.#end(closedError());
    this.#worker.terminate();
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
  }

  #handle(reply: Reply): void {
    if (reply.kind === "encode") {
      void this.#answerEncode(reply);
      return;
    }
    if (reply.kind === "score") {
      void this.#answerScore(reply);
      return;
    }
    const waiting = this.#waiting.get(reply.call);
    if (reply.kind === "progress") {
      waiting?.onProgress?.(reply.progress);
      return;
    }
    if (reply.kind === "error") waiting?.reject(deserializeError(reply.error));
    else waiting?.resolve(reply.kind === "opened" ? reply.about : reply.answer);
  }

  async #answerEncode({ call, text }: Extract<Reply, { kind: "encode" }>): Promise<void> {
    try {
      this.#send({ kind: "encoded", call, encoding: await this.#encode!(text) });
    } catch (error) {
      this.#send({ kind: "not-encoded", call, error: serializeError(error) });
    }
  }

  /** If the cross-encoder throws, its error rejects the call, as it would in Node. */
  async #answerScore({ call, query, texts }: Extract<Reply, { kind: "score" }>): Promise<void> {
    const waiting = this.#waiting.get(call);
    if (!waiting) return;
    const { scorer, signal } = waiting;
    try {
      this.#send({ kind: "scored", call, scores: await scorer!.score(query, texts, { signal }) });
    } catch (error) {
      waiting.reject(error);
      this.#send({ kind: "cancel", call });
    }
  }

  #send(request: Request): void {
    this.#worker.postMessage(request);
  }
}
