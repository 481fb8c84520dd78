// The page's side of an index in a worker. It has the methods of `SluiceReader`, and searches never block the page.

import type { Document, Fields } from "../documents/document.ts";
import type { Query } from "../query/query.ts";
import type { Answer } from "../rank/answer.ts";
import type { ExplainOptions, Explanation } from "../rank/explain.ts";
import type { SearchOptions } from "../rank/search-options.ts";
import type { GpuOptions, KernelInfo } from "../scan/kernel-options.ts";
import {
  checkFunction,
  checkIterable,
  checkOptions,
  checkSignal,
  isObject,
  type KnownOptions,
  wrong,
} from "../support/options.ts";
import { Calls, type WorkerLike } from "./calls.ts";
import type { About, Method } from "./messages.ts";
import type { ReaderInfo, ReaderOptions } from "./reader.ts";
import { folderOf } from "./site.ts";

export interface WorkerOptions extends Omit<ReaderOptions, "fetch" | "gpu"> {
  gpu?: Omit<GpuOptions, "onUpload">;
  /**
   * Creates the worker, if your bundler does not find it: a module worker whose file imports
   * "sluice/browser/worker-entry". (Vite's development server finds it with `optimizeDeps: { exclude: ["sluice"] }`.)
   */
  worker?: () => WorkerLike;
}

/** The known options. The reader in the worker checks the rest, so that the page need not load those checks. */
export const WORKER_OPTIONS: KnownOptions<WorkerOptions> = {
  kernel: true,
  gpu: true,
  onProgress: true,
  signal: true,
  encode: true,
  worker: true,
};

/** Opens an export in a new worker. The options are those of `SluiceReader.open`. */
export async function openInWorker<DocumentType extends Document = Document>(
  url: string | URL,
  options: WorkerOptions = {},
): Promise<WorkerReader<DocumentType>> {
  checkOptions(options, WORKER_OPTIONS, "openInWorker");
  checkSignal(options.signal);
  for (const name of ["onProgress", "encode", "worker"] as const) checkFunction(name, options[name]);
  const { signal, onProgress, kernel, gpu, encode } = options;
  const folder = folderOf(url).href; // a relative URL is relative to the page, not to the worker
  signal?.throwIfAborted();
  const worker =
    options.worker?.() ?? new Worker(new URL("./worker-entry.js", import.meta.url), { type: "module" });
  const calls = new Calls(worker, encode);
  try {
    const request = { kernel, gpu, encodes: encode !== undefined };
    const about = await calls.make(
      (call) => ({ kind: "open", call, url: folder, options: request }),
      signal,
      onProgress,
    );
    return new WorkerReader<DocumentType>(calls, about as About);
  } catch (error) {
    calls.close();
    throw error;
  }
}

/** An index in a worker. It returns what `SluiceReader` returns. */
export class WorkerReader<DocumentType extends Document = Document, FieldsType = Fields<DocumentType>> {
  readonly #calls: Calls;
  readonly #about: About;

  /** Do not call this: use `openInWorker`. */
  constructor(calls: Calls, about: About) {
    this.#calls = calls;
    this.#about = about;
  }

  /** The number of documents. */
  get size(): number {
    return this.#about.size;
  }

  /** The kernel that computes scores, and why it was chosen, as of the opening of the index. */
  get kernel(): KernelInfo {
    return this.#about.kernel;
  }

  info(): ReaderInfo {
    return this.#about.info;
  }

  /** Searches. A search that is aborted before it starts never runs, so you can abort one per key press. */
  search(query: Query, options: SearchOptions = {}): Promise<Answer<FieldsType>> {
    return this.#search("search", query, options) as Promise<Answer<FieldsType>>;
  }

  /** Answers many queries with the same options. */
  searchAll(queries: readonly Query[], options: SearchOptions = {}): Promise<Answer<FieldsType>[]> {
    return this.#search("searchAll", queries, options) as Promise<Answer<FieldsType>[]>;
  }

  /** Explains the score of a document. */
  async explain(query: Query, id: string, options: ExplainOptions = {}): Promise<Explanation<FieldsType>> {
    if (!isObject(options)) throw wrong("options", "an object", options);
    const { signal, ...others } = options;
    checkSignal(signal);
    return this.#call("explain", [query, id, others], signal) as Promise<Explanation<FieldsType>>;
  }

  /** The document as it was added, without id, weights and vector. */
  document(id: string): Promise<FieldsType> {
    return this.#call("document", [id]) as Promise<FieldsType>;
  }

  /** Several documents, in the order of their ids. */
  documents(ids: readonly string[]): Promise<FieldsType[]> {
    return this.#call("documents", [ids]) as Promise<FieldsType[]>;
  }

  /** Ends the worker. Pending calls reject. */
  async close(): Promise<void> {
    this.#calls.close();
  }

  async #search(method: Method, asked: unknown, options: SearchOptions) {
    if (!isObject(options)) throw wrong("options", "an object", options);
    const { signal, exclude, ...others } = options;
    checkIterable("exclude", "ids", exclude);
    checkSignal(signal);
    const all = { ...others, ...(exclude && { exclude: [...exclude] }) };
    return this.#call(method, [asked, all], signal);
  }

  async #call(method: Method, args: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted();
    return this.#calls.make((call) => ({ kind: "call", call, method, args }), signal);
  }
}
