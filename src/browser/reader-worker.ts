// The worker's side: opens the index that the page names, and answers the page's calls.

import type { QueryEncoding } from "../query/prepare/query-preparer.ts";
import type { PairScorer } from "../search/options/rerank-options.ts";
import type { SearchOptions } from "../search/options/search-options.ts";
import type { OnProgress } from "../support/options/progress.ts";
import { type ReaderOptions, SluiceReader } from "./reader.ts";
import {
  deserializeError,
  type Method,
  type OpenRequest,
  type Port,
  type Reply,
  type Request,
  serializeError,
} from "./reader-messages.ts";

/** Answers the messages of a port. `options` holds what cannot be sent in a message. */
export function serveCalls(port: Port, options: Pick<ReaderOptions, "fetch"> = {}): void {
  const handler = new CallHandler(port, options);
  port.onmessage = ({ data }: { data: Request }) => handler.handle(data);
}

/** Answers the calls of the page. */
class CallHandler {
  readonly #port: Port;
  readonly #options: Pick<ReaderOptions, "fetch">;
  #reader: SluiceReader | undefined;
  /** Running calls, which the page can abort. */
  readonly #calls = new Map<number, AbortController>();
  /** Texts that the page is encoding. */
  readonly #encoding = new Map<
    number,
    { resolve(encoding: QueryEncoding): void; reject(error: Error): void }
  >();
  #encodings = 0;
  /** The calls whose hits the page is scoring. */
  readonly #scoring = new Map<number, (scores: number[]) => void>();

  constructor(port: Port, options: Pick<ReaderOptions, "fetch">) {
    this.#port = port;
    this.#options = options;
  }

  handle(request: Request): void {
    const { call } = request;
    if (request.kind === "cancel") this.#calls.get(call)?.abort();
    else if (request.kind === "scored") this.#scoring.get(call)?.(request.scores);
    else if (request.kind === "encoded") this.#encoding.get(call)?.resolve(request.encoding);
    else if (request.kind === "not-encoded")
      this.#encoding.get(call)?.reject(deserializeError(request.error));
    else void this.#answer(request);
  }

  async #answer(request: Extract<Request, { kind: "open" | "call" }>): Promise<void> {
    const { call } = request;
    const controller = new AbortController();
    this.#calls.set(call, controller);
    try {
      // Waits for the next message: a fast typist has already sent a cancel for this call.
      await new Promise((resolve) => setTimeout(resolve));
      controller.signal.throwIfAborted();
      this.#reply(
        request.kind === "open"
          ? { kind: "opened", call, about: await this.#open(request, controller.signal) }
          : { kind: "answer", call, answer: await this.#ask(request, controller.signal) },
      );
    } catch (error) {
      this.#reply({ kind: "error", call, error: serializeError(error) });
    } finally {
      this.#calls.delete(call);
    }
  }

  async #open({ call, url, options }: Extract<Request, { kind: "open" }>, signal: AbortSignal) {
    const reader = await SluiceReader.open(url, {
      ...this.#options,
      ...this.#kernel(options),
      signal,
      onProgress: this.#onProgress(call),
      ...(options.encodes && { encode: (text) => this.#encode(text) }),
    });
    this.#reader = reader;
    const { docs, kernel, hasOwnVectors } = reader;
    return { docs, kernel, hasOwnVectors, info: reader.info() };
  }

  #kernel({ kernel, gpu }: OpenRequest): Pick<ReaderOptions, "kernel" | "gpu"> {
    return { ...(kernel && { kernel }), ...(gpu && { gpu }) };
  }

  async #ask(request: Extract<Request, { kind: "call" }>, signal: AbortSignal): Promise<unknown> {
    const { call, method, args, options, scorer, reports } = request;
    const reader = this.#reader! as unknown as Record<Method, (...args: unknown[]) => Promise<unknown>>;
    if (!options) return reader[method](...args);
    const onProgress = this.#onProgress(call);
    const { rerank } = options as SearchOptions;
    return reader[method](...args, {
      ...options,
      signal,
      ...(reports && { onProgress }),
      ...(scorer && { rerank: { ...rerank, model: this.#scorer(call, scorer, signal) } }),
    });
  }

  /** The cross-encoder of the page. */
  #scorer(call: number, { path }: Pick<PairScorer, "path">, signal: AbortSignal): PairScorer {
    return {
      path,
      score: async (query, texts) => {
        signal.throwIfAborted();
        const scores = new Promise<number[]>((resolve, reject) => {
          this.#scoring.set(call, resolve);
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        });
        this.#reply({ kind: "score", call, query, texts });
        return scores.finally(() => this.#scoring.delete(call));
      },
    };
  }

  #onProgress(call: number): OnProgress {
    return (progress) => this.#reply({ kind: "progress", call, progress });
  }

  async #encode(text: string): Promise<QueryEncoding> {
    const call = this.#encodings++;
    const encoding = new Promise<QueryEncoding>((resolve, reject) => {
      this.#encoding.set(call, { resolve, reject });
    });
    this.#reply({ kind: "encode", call, text });
    return encoding.finally(() => this.#encoding.delete(call));
  }

  #reply(reply: Reply): void {
    this.#port.postMessage(reply);
  }
}
