// The page's side of an index in a worker. It has the methods of `SluiceReader`, and searches never block the page.

/// <reference lib="esnext.disposable" preserve="true" />

import type { Document, Fields } from "../documents/document.ts";
import type { Query, QueryTerm } from "../query/ask/query.ts";
import type { Explanation } from "../rank/explain.ts";
import type { GpuOptions, KernelInfo } from "../scan/contract/kernel-options.ts";
import type { QueryExplanation } from "../search/explain/explain-query.ts";
import type { Answer } from "../search/hits/answer.ts";
import type { Highlights } from "../search/hits/highlights.ts";
import type { DocumentList } from "../search/list/list-documents.ts";
import type { ExplainOptions, ExplainQueryOptions } from "../search/options/explain-options.ts";
import type { ListOptions, PassagesOptions } from "../search/options/list-options.ts";
import type { PairScorer } from "../search/options/rerank-options.ts";
import type { SearchOptions } from "../search/options/search-options.ts";
import type { SuggestOptions } from "../search/options/suggest-options.ts";
import type { Searchable } from "../search/searchable.ts";
import type { Suggestion } from "../search/suggest/suggest.ts";
import type { FieldInfo } from "../store/snapshot/fields.ts";
import {
  checkFunction,
  checkIds,
  checkIterable,
  checkOptions,
  checkSignal,
  checkTexts,
  isObject,
  type KnownOptions,
  readList,
  requireIterable,
  wrongValueError,
} from "../support/options/options.ts";
import type { WorkOptions } from "../support/options/work-options.ts";
import type { ReaderInfo, ReaderOptions } from "./reader.ts";
import { Calls, type WorkerLike } from "./reader-calls.ts";
import type { About, Method, Request } from "./reader-messages.ts";
import { toFolderUrl } from "./site.ts";

export interface WorkerOptions extends Omit<ReaderOptions, "fetch" | "gpu"> {
  readonly gpu?: Omit<GpuOptions, "onUpload"> | undefined;
  /**
   * Creates the worker, if your bundler does not find it: a module worker whose file imports
   * "sluice/browser/worker-entry". (Vite's development server finds it with `optimizeDeps: { exclude: ["sluice"] }`.)
   */
  readonly worker?: (() => WorkerLike) | undefined;
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
  const folder = toFolderUrl(url).href; // a relative URL is relative to the page, not to the worker
  signal?.throwIfAborted();
  const worker =
    options.worker?.() ?? new Worker(new URL("./worker-entry.js", import.meta.url), { type: "module" });
  const calls = new Calls(worker, encode);
  try {
    const request = { kernel, gpu, encodes: encode !== undefined };
    const about = await calls.sendRequest((call) => ({ kind: "open", call, url: folder, options: request }), {
      signal,
      onProgress,
    });
    return createReader<DocumentType>(calls, about as About);
  } catch (error) {
    calls.close();
    throw error;
  }
}

/** Calls the private constructor of `WorkerReader`. */
let createReader: <DocumentType extends Document>(calls: Calls, about: About) => WorkerReader<DocumentType>;

/** An index in a worker, which `openInWorker` opens. It returns what `SluiceReader` returns. */
export class WorkerReader<DocumentType extends Document = Document, FieldsType = Fields<DocumentType>>
  implements Searchable<FieldsType>
{
  readonly #calls: Calls;
  readonly #about: About;

  static {
    createReader = (calls, about) => new WorkerReader(calls, about);
  }

  private constructor(calls: Calls, about: About) {
    this.#calls = calls;
    this.#about = about;
  }

  /** The number of documents. */
  get docs(): number {
    return this.#about.docs;
  }

  /** The kernel that computes scores, and why it was chosen, as of the opening of the index. */
  get kernel(): KernelInfo {
    return this.#about.kernel;
  }

  /** Whether documents came with their own vectors, so that no encoder turns the text of a query into one. */
  get hasOwnVectors(): boolean {
    return this.#about.hasOwnVectors;
  }

  /** Sizes, settings and counts of the index. */
  info(): ReaderInfo {
    return this.#about.info;
  }

  /** Searches. A search that is aborted before it starts never runs, so you can abort one per key press. */
  async search(query: Query, options: SearchOptions<FieldsType> = {}): Promise<Answer<FieldsType>> {
    return this.#ask("search", [query], options);
  }

  /** Answers many queries with the same options. */
  async searchAll(
    queries: Iterable<Query>,
    options: SearchOptions<FieldsType> = {},
  ): Promise<Answer<FieldsType>[]> {
    return this.#ask("searchAll", [readList("queries", "queries", queries)], options);
  }

  /** Explains the score of a document. */
  async explain(
    query: Query,
    id: string,
    options: ExplainOptions<FieldsType> = {},
  ): Promise<Explanation<FieldsType>> {
    return this.#ask("explain", [query, id], options);
  }

  /** Explains a query: its terms, their cells, and which of them the first stage of a plan uses. */
  async explainQuery(query: Query, options: ExplainQueryOptions = {}): Promise<QueryExplanation> {
    return this.#ask("explainQuery", [query], options);
  }

  /** What a user may want to type. Without the texts of documents in the export it shows terms, which may be stems. */
  async suggest(text: string, options: SuggestOptions = {}): Promise<Suggestion[]> {
    return this.#ask("suggest", [text], options);
  }

  /** Where the terms of an answer occur in a document's title and text, to mark them. */
  async highlight(terms: Iterable<QueryTerm>, document: Fields | FieldsType): Promise<Highlights> {
    return this.#ask("highlight", [[...terms], document]);
  }

  /** Encodes texts into queries, with the encoder of the export or with `encode`. */
  async encodeQueries(texts: Iterable<string>, options: WorkOptions = {}): Promise<Query[]> {
    return this.#ask("encodeQueries", [checkTexts("texts", texts)], options);
  }

  /** Whether a document has this id. */
  async has(id: string): Promise<boolean> {
    return this.#ask("has", [id]);
  }

  /** The document as it was added, without id, weights, termFactors and vector. */
  async document(id: string): Promise<FieldsType> {
    return this.#ask("document", [id]);
  }

  /** Several documents, in the order of their ids. */
  async documents(ids: Iterable<string>): Promise<FieldsType[]> {
    requireIterable("ids", "ids", ids);
    return this.#ask("documents", [checkIds("ids", ids)]);
  }

  /** The documents that a filter on exported fields accepts, a page at a time. */
  async list(options: ListOptions<FieldsType> = {}): Promise<DocumentList<FieldsType>> {
    return this.#ask("list", [], options);
  }

  /** The passages of a document or a file, in the order of its text; the document itself if it was not cut. */
  async passages(
    id: string,
    options: PassagesOptions<FieldsType> = {},
  ): Promise<DocumentList<FieldsType>["documents"]> {
    return this.#ask("passages", [id], options);
  }

  /** The vector of a document, rounded to float16 as the index stores it. Undefined if the index has no vectors. */
  async vector(id: string): Promise<Float32Array | undefined> {
    return this.#ask("vector", [id]);
  }

  async listIds(): Promise<readonly string[]> {
    return this.#ask("listIds", []);
  }

  /** The exported fields that a filter can use, and their values. */
  async fields(): Promise<FieldInfo[]> {
    return this.#ask("fields", []);
  }

  /** Ends the worker. Pending calls reject. */
  async close(): Promise<void> {
    this.#calls.close();
  }

  /** `await using index = await openInWorker(…)` closes the index at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Calls a method of the reader in the worker. What cannot be sent is kept here: signals and functions. */
  async #ask<T>(method: Method, args: readonly unknown[], given?: SentOptions): Promise<T> {
    if (given !== undefined && !isObject(given)) throw wrongValueError("options", "an object", given);
    const { signal, onProgress, exclude, rerank, ...others } = given ?? {};
    checkIterable("exclude", "ids", exclude);
    checkSignal(signal);
    checkFunction("onProgress", onProgress);
    signal?.throwIfAborted();
    const scorer = findOpenScorer(rerank);
    const options = given && {
      ...others,
      ...(exclude && { exclude: [...exclude] }),
      ...(rerank !== undefined && { rerank: scorer ? { ...rerank, model: undefined } : rerank }),
    };
    const request = (call: number): Request => ({
      ...{ kind: "call", call, method, args, options, reports: onProgress !== undefined },
      ...(scorer && { scorer: { path: scorer.path } }),
    });
    return (await this.#calls.sendRequest(request, { signal, onProgress, scorer })) as T;
  }
}

/** The options of a method that need attention before they are sent. */
type SentOptions = Pick<SearchOptions, "exclude" | "rerank"> & WorkOptions;

/** The cross-encoder, if it is open. The reader in the worker refuses everything else. */
function findOpenScorer(rerank: SearchOptions["rerank"]): PairScorer | undefined {
  const model = isObject(rerank) ? rerank.model : undefined;
  return isObject(model) && typeof model.score === "function" ? model : undefined;
}
