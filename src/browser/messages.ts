// What a page and its worker say to each other, and how an error gets across.

import { type ErrorCode, UsageError } from "../errors.ts";
import type { QuestionEncoding } from "../query/asker.ts";
import type { GpuOptions, KernelName } from "../rank/kernel-options.ts";
import type { SluiceReader } from "./reader.ts";

/** What is asked of the index in the worker; answers are those of the reader. */
export type Method = "search" | "searchAll" | "explain" | "document" | "documents";

/** From the page. A number names a call; the same one is in everything that belongs to it. */
export type Request =
  | { readonly kind: "open"; readonly call: number; readonly url: string; readonly options: OpenRequest }
  | {
      readonly kind: "call";
      readonly call: number;
      readonly method: Method;
      readonly args: readonly unknown[];
    }
  | { readonly kind: "cancel"; readonly call: number }
  | { readonly kind: "encoded"; readonly call: number; readonly encoding: QuestionEncoding }
  | { readonly kind: "not-encoded"; readonly call: number; readonly error: Carried };

/** Functions do not travel: for those that were given, the worker calls back. */
export interface OpenRequest {
  readonly kernel?: KernelName | undefined;
  readonly gpu?: Omit<GpuOptions, "onUpload"> | undefined;
  readonly encodes: boolean;
}

/** From the worker. */
export type Reply =
  | { readonly kind: "opened"; readonly call: number; readonly about: About }
  | { readonly kind: "answer"; readonly call: number; readonly answer: unknown }
  | { readonly kind: "error"; readonly call: number; readonly error: Carried }
  | { readonly kind: "progress"; readonly call: number; readonly done: number; readonly total: number }
  | { readonly kind: "encode"; readonly call: number; readonly text: string };

/** What a page may ask about the index without waiting. */
export type About = Pick<SluiceReader, "size" | "settings" | "kernel"> & {
  readonly info: ReturnType<SluiceReader["info"]>;
};

/** An error as it travels. */
export interface Carried {
  readonly name: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly code?: ErrorCode;
  readonly stack?: string | undefined;
}

export function carried(error: unknown): Carried {
  const { name = "Error", message = String(error), stack } = (error ?? {}) as Partial<Error>;
  return { name, message, stack, ...(error instanceof UsageError && { hint: error.hint, code: error.code }) };
}

/** As it was thrown on the other side; a mistake of ours keeps the stack it had there. */
export function arrived({ name, message, hint, code, stack }: Carried): Error {
  if (name === "UsageError") return new UsageError(message, hint, code);
  if (name === "AbortError") return new DOMException(message, name);
  return Object.assign(new Error(message), { name, stack });
}

/** A worker as a page has it, a page as a worker has it, or one end of a MessageChannel. */
export interface Port {
  postMessage(message: unknown): void;
  onmessage: ((event: never) => void) | null;
}
