// The messages between a page and its worker, and how errors are sent.

import type { QueryEncoding } from "../query/prepare/query-preparer.ts";
import type { GpuOptions, KernelName } from "../scan/contract/kernel-options.ts";
import type { PairScorer } from "../search/options/rerank-options.ts";
import { type ErrorCode, SluiceError } from "../support/errors/sluice-error.ts";
import type { Progress } from "../support/options/progress.ts";
import type { SluiceReader } from "./reader.ts";

/** The methods of `SluiceReader` that the page can call. */
export type Method =
  | "search"
  | "searchAll"
  | "explain"
  | "explainQuery"
  | "suggest"
  | "highlight"
  | "encodeQueries"
  | "has"
  | "document"
  | "documents"
  | "list"
  | "passages"
  | "vector"
  | "fields"
  | "listIds";

/** A message from the page. All messages of one call have the same number. */
export type Request =
  | { readonly kind: "open"; readonly call: number; readonly url: string; readonly options: OpenRequest }
  | {
      readonly kind: "call";
      readonly call: number;
      readonly method: Method;
      readonly args: readonly unknown[];
      /** For a method whose last argument is its options. A signal and functions cannot be sent: the worker adds its own. */
      readonly options?: object | undefined;
      /** Set if the page reranks with an open cross-encoder. A function cannot be sent, so the worker asks the page to score. */
      readonly scorer?: Pick<PairScorer, "path"> | undefined;
      /** Whether the page wants to hear of the progress. */
      readonly reports: boolean;
    }
  | { readonly kind: "cancel"; readonly call: number }
  | { readonly kind: "encoded"; readonly call: number; readonly encoding: QueryEncoding }
  | { readonly kind: "not-encoded"; readonly call: number; readonly error: SerializedError }
  /** If the page cannot score, it rejects its call and cancels it. */
  | { readonly kind: "scored"; readonly call: number; readonly scores: number[] };

/** The options of `open`. A function cannot be sent, so the worker asks the page to call `encode`. */
export interface OpenRequest {
  readonly kernel?: KernelName | undefined;
  readonly gpu?: Omit<GpuOptions, "onUpload"> | undefined;
  readonly encodes: boolean;
}

/** A message from the worker. */
export type Reply =
  | { readonly kind: "opened"; readonly call: number; readonly about: About }
  | { readonly kind: "answer"; readonly call: number; readonly answer: unknown }
  | { readonly kind: "error"; readonly call: number; readonly error: SerializedError }
  | { readonly kind: "progress"; readonly call: number; readonly progress: Progress }
  | { readonly kind: "encode"; readonly call: number; readonly text: string }
  | {
      readonly kind: "score";
      readonly call: number;
      readonly query: string;
      readonly texts: readonly string[];
    };

/** What the page knows about the index without a call. */
export type About = Pick<SluiceReader, "docs" | "kernel" | "hasOwnVectors"> & {
  readonly info: ReturnType<SluiceReader["info"]>;
};

/** An error in a message. */
interface SerializedError {
  readonly name: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly code?: ErrorCode;
  readonly stack?: string | undefined;
}

export function serializeError(error: unknown): SerializedError {
  const { name = "Error", message = String(error), stack } = (error ?? {}) as Partial<Error>;
  if (!(error instanceof SluiceError)) return { name, message, stack };
  return { name, message: error.problem, stack, hint: error.hint, code: error.code };
}

/** The error as it was thrown on the other side. An unexpected error keeps the stack from there. */
export function deserializeError({ name, message, hint, code, stack }: SerializedError): Error {
  if (name === "SluiceError") return new SluiceError(message, hint, code);
  if (name === "AbortError") return new DOMException(message, name);
  return Object.assign(new Error(message), { name, stack });
}

/** A worker seen from its page, a page seen from its worker, or one end of a MessageChannel. */
export interface Port {
  postMessage(message: unknown): void;
  onmessage: ((event: never) => void) | null;
}
