// The page's side of an index in a worker: the same promises as a reader's, and the page's thread never waits.

import type { Settings } from "../densify/slicing.ts";
import type { Fields } from "../documents/document.ts";
import type { Query } from "../query/query.ts";
import type { Answer, Explanation, SearchOptions } from "../rank/answer.ts";
import type { GpuOptions, KernelInfo } from "../rank/kernel-options.ts";
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
   * Makes the worker, where a bundler does not find it by itself: a module worker whose file imports
   * "sluice/browser/worker-entry". (Vite's development server finds it with `optimizeDeps: { exclude: ["sluice"] }`.)
   */
  worker?: () => WorkerLike;
}

/** What is not checked here is checked by the reader in the worker, so that pages need not load it. */
const WORKER_OPTIONS: KnownOptions<WorkerOptions> = {
  kernel: true,
  gpu: true,
  onProgress: true,
  signal: true,
  encode: true,
  worker: true,
};

/** Opens an export, as `SluiceReader.open` does, in a worker of its own. */
export async function openInWorker(url: string | URL, options: WorkerOptions = {}): Promise<WorkerReader> {
  checkOptions(options, WORKER_OPTIONS, "openInWorker");
  checkSignal(options.signal);
  for (const name of ["onProgress", "encode", "worker"] as const) checkFunction(name, options[name]);
  const { signal, onProgress, kernel, gpu, encode } = options;
  const folder = folderOf(url).href; // the page's address is not the worker's
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
    return new WorkerReader(calls, about as About);
  } catch (error) {
    calls.close();
    throw error;
  }
}

/** An index in a worker. What it answers is what `SluiceReader` answers. */
export class WorkerReader {
  readonly #calls: Calls;
  readonly #about: About;

  /** Not for direct use: it comes from `openInWorker`. */
  constructor(calls: Calls, about: About) {
    this.#calls = calls;
    this.#about = about;
  }

  get size(): number {
    return this.#about.size;
  }

  get settings(): Settings {
    return this.#about.settings;
  }

  /** What scores documents, and why it is that, as it was when the index was opened. */
  get kernel(): KernelInfo {
    return this.#about.kernel;
  }

  info(): ReaderInfo {
    return this.#about.info;
  }

  /** A search that is given up by its signal, and has not begun, never begins: as often as someone types. */
  search(query: Query, options: SearchOptions = {}): Promise<Answer> {
    return this.#search("search", query, options) as Promise<Answer>;
  }

  searchAll(queries: readonly Query[], options: SearchOptions = {}): Promise<Answer[]> {
    return this.#search("searchAll", queries, options) as Promise<Answer[]>;
  }

  explain(query: Query, id: string, options: { lambda?: number } = {}): Promise<Explanation> {
    return this.#call("explain", [query, id, options]) as Promise<Explanation>;
  }

  document(id: string): Promise<Fields> {
    return this.#call("document", [id]) as Promise<Fields>;
  }

  documents(ids: readonly string[]): Promise<Fields[]> {
    return this.#call("documents", [ids]) as Promise<Fields[]>;
  }

  /** Ends the worker; what is under way fails. */
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
