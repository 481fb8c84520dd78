// The index as a user has it in hand: opened in a folder or built in memory, changed, searched, explained.

import { resolve } from "node:path";
import { highlight, type Range } from "./analyze/highlight.ts";
import { type RevertedTerm, revert } from "./densify/revert.ts";
import type { Row } from "./densify/rows.ts";
import type { Settings, Slicing } from "./densify/slicing.ts";
import type { Fields } from "./documents/document.ts";
import { checkedDocuments, type Document } from "./documents/document.ts";
import type { CrossEncoders } from "./encode/cross-encoders.ts";
import { type EncodeOptions, Encoder, type Encoding } from "./encode/encoder.ts";
import { UsageError } from "./errors.ts";
import { Asker, requireEncoder } from "./query/asker.ts";
import type { Plan } from "./query/plan.ts";
import { type PlannedQuery, planned } from "./query/planned-query.ts";
import { checkQuery, type Query, type QueryTerm } from "./query/query.ts";
import {
  type Answer,
  checkExplainOptions,
  checkKernelOptions,
  checkSearchOptions,
  checkWeight,
  type Explanation,
  explained,
  KERNEL_OPTIONS,
  type KernelOptions,
  noDocument,
  numberOf,
  rankAll,
} from "./rank/answer.ts";
import { type ChosenKernel, chooseKernel, kernelInfo, WASM } from "./rank/choose-kernel.ts";
import type { DeviceIndex } from "./rank/gpu-index.ts";
import { hitsOf } from "./rank/hits.ts";
import type { GpuOptions, KernelInfo, KernelName } from "./rank/kernel-options.ts";
import {
  checkRerank,
  firstStageDepth,
  type PairScorer,
  type RerankedSearchOptions,
  type RerankOptions,
  reranked,
} from "./rank/rerank.ts";
import { scalar } from "./rank/scalar.ts";
import { ScanPool } from "./scan/thread-pool.ts";
import type { Segment } from "./segment/segment.ts";
import { requireAgreement } from "./store/contradiction.ts";
import { type FieldInfo, fieldsOf } from "./store/fields.ts";
import { holdsIndex } from "./store/index-folder.ts";
import {
  BUILD_OPTIONS,
  type BuildOptions,
  checkBuildOptions,
  encoded,
  firstLambda,
  forNewIndex,
  recordOf,
  type WithModel,
  withEncoder,
  withModel,
} from "./store/index-options.ts";
import { type IndexInfo, infoOf } from "./store/info.ts";
import { LiveIndex } from "./store/live-index.ts";
import type { EncoderRecord } from "./store/model-record.ts";
import { freshModel } from "./store/new-index.ts";
import type { Snapshot } from "./store/snapshot.ts";
import { type Verification, verifyFolder } from "./store/verify.ts";
import { type Exported, type ExportOptions, exportSnapshot } from "./store/web-export.ts";
import type { Fresh } from "./store/writer.ts";
import { FLOAT16 } from "./support/float16.ts";
import {
  checkFunction,
  checkIterable,
  checkNumber,
  checkObject,
  checkOptions,
  checkSignal,
  checkText,
  checkTruth,
  type KnownOptions,
} from "./support/options.ts";
import { type OnProgress, PROGRESS_STEP, turn } from "./support/progress.ts";
import { Turns } from "./support/turns.ts";

export interface OpenOptions
  extends Omit<BuildOptions, "encodings" | "signal" | "onProgress">,
    KernelOptions {
  /** Never write; an index must be there. */
  readOnly?: boolean;
  /** Replace the index that is there, with the first commit. */
  overwrite?: boolean;
  /** Memory for documents that were added and are in no segment yet, about; 256 MiB when left out. */
  bufferBytes?: number;
  /** Rows are kept in memory up to so many bytes, all together, and read from the disk beyond; 1 GiB when left out. */
  rowBytes?: number;
}

export interface AddOptions {
  /** What the encoder said at an earlier time, by document id, so that it need not be asked again. */
  encodings?: ReadonlyMap<string, Encoding>;
  /** Stops the call, even while the source of documents waits. It rejects with the signal's reason, and adds nothing. */
  signal?: AbortSignal;
  onProgress?: OnProgress;
}

const { encodings: _, signal: __, onProgress: ___, ...SHARED_OPTIONS } = BUILD_OPTIONS;
const OPEN_OPTIONS: KnownOptions<OpenOptions> = {
  ...SHARED_OPTIONS,
  ...KERNEL_OPTIONS,
  readOnly: true,
  overwrite: true,
  bufferBytes: true,
  rowBytes: true,
};

const ADD_OPTIONS: KnownOptions<AddOptions> = { encodings: true, signal: true, onProgress: true };
const EXPORT_OPTIONS: KnownOptions<ExportOptions> = { documents: true, onProgress: true, signal: true };
const ENCODE_OPTIONS: KnownOptions<EncodeOptions> = { onProgress: true, signal: true };

function checkOpenOptions(path: string, options: OpenOptions): void {
  checkText("the folder of an index", path);
  checkOptions(options, OPEN_OPTIONS, "open");
  checkBuildOptions(options);
  checkKernelOptions(options);
  checkTruth("readOnly", options.readOnly);
  checkTruth("overwrite", options.overwrite);
  for (const name of ["bufferBytes", "rowBytes"] as const) {
    if (options[name] !== Number.POSITIVE_INFINITY) checkNumber(name, options[name], { least: 0 });
  }
}

function checkProgress(what: string, options: { onProgress?: OnProgress }): void {
  checkOptions(options, { onProgress: true }, what);
  checkFunction("onProgress", options.onProgress);
}

/** Where in a document's title and text words of a query stand. */
export interface Highlights {
  readonly title?: readonly Range[];
  readonly text?: readonly Range[];
}

const EMPTY_ROW: Row = {
  slices: new Uint32Array(0),
  indices: new Uint16Array(0),
  values: new Float32Array(0),
};

export class Sluice {
  readonly #live: LiveIndex;
  readonly #asker: Asker<Encoder>;
  /** Instead of the index's own. */
  #lambda: number | undefined;
  #threads = 1;
  #rowBytes: number | undefined;
  #pool: ScanPool | undefined;
  #kernel: ChosenKernel = WASM;
  #crossEncoders: CrossEncoders | undefined;

  private constructor(live: LiveIndex, encoder?: Encoder) {
    this.#asker = new Asker(openModel, encoder);
    this.#live = live;
    if (encoder) requireEncoder(encoder, this.#snapshot.encoder);
  }

  /**
   * Opens the index of a folder; where there is none, an index with these options is made, with the first commit.
   * Searching needs no right to write and keeps nobody from it: the index is locked from the first change on, until it is
   * closed, and a second writer is refused. A model that encoded documents is opened when it is first needed, unless
   * it is given here.
   */
  static async open(path: string, options: OpenOptions = {}): Promise<Sluice> {
    checkOpenOptions(path, options);
    return withModel(options, (ready) => Sluice.#open(path, ready));
  }

  static async #open(path: string, options: WithModel<OpenOptions>): Promise<Sluice> {
    const { readOnly, overwrite, bufferBytes, spreadSample, encoder } = options;
    const all = withEncoder(options);
    const fresh = freshIndex(options);
    const live = await LiveIndex.open(path, { readOnly, overwrite, bufferBytes, spreadSample, fresh });
    try {
      if (overwrite)
        fresh(); // what cannot be meant is refused now, not with the first document
      else if (live.snapshot.generation > 0) requireAgreement(path, live.snapshot, all);
      return await new Sluice(live, overwrite ? undefined : encoder)
        .#attachEncoder(encoder, options.ownsEncoder)
        .#setThreads(options.threads, options.rowBytes)
        .#chooseKernel(options.kernel, options.gpu);
    } catch (error) {
      await live.close();
      throw error;
    }
  }

  /**
   * Makes an index in memory, with these documents committed. It can be changed and searched like one in a folder; `save`
   * writes it into one.
   */
  static async build(
    documents: Iterable<Document> | AsyncIterable<Document>,
    options: BuildOptions & KernelOptions = {},
  ): Promise<Sluice> {
    checkIterable("documents", "documents", documents ?? null, true);
    checkOptions(options, { ...BUILD_OPTIONS, ...KERNEL_OPTIONS }, "build");
    checkBuildOptions(options);
    checkKernelOptions(options);
    return withModel(options, async (ready) => {
      const { spreadSample, encoder, encodings, signal, onProgress } = ready;
      const live = LiveIndex.inMemory({ spreadSample, fresh: freshIndex(ready) });
      const index = new Sluice(live, encoder)
        .#attachEncoder(encoder, ready.ownsEncoder)
        .#setThreads(options.threads);
      await index.add(documents, {
        ...(encodings && { encodings }),
        ...(signal && { signal }),
        ...(onProgress && { onProgress }),
      });
      await index.commit(onProgress && { onProgress });
      return index.#chooseKernel(options.kernel, options.gpu);
    });
  }

  /** @internal What an index searches, for experiments that look at its rows. */
  static snapshotOf(index: Sluice): Snapshot {
    return index.#snapshot;
  }

  /** @internal The GPU that an index searches on, where it does: tests take it away. */
  static deviceOf(index: Sluice): DeviceIndex | undefined {
    return index.#kernel.device;
  }

  /** Whether a folder holds an index, readable or not. */
  static async exists(folder: string): Promise<boolean> {
    checkText("the folder of an index", folder);
    return holdsIndex(folder);
  }

  /** Reads every byte of the index of a folder, and says what is not as it should be. */
  static async verify(folder: string, options: { onProgress?: OnProgress } = {}): Promise<Verification> {
    checkText("the folder of an index", folder);
    checkProgress("verify", options);
    return verifyFolder(folder, options.onProgress);
  }

  /**
   * Adds documents; they are seen after the next commit. An id that is there already is refused. Where a document is
   * refused, or the source of the documents fails, none of this call is added.
   */
  async add(
    documents: Iterable<Document> | AsyncIterable<Document>,
    options: AddOptions = {},
  ): Promise<number> {
    return this.#add(documents, options, false);
  }

  /** Adds documents, all or none; one whose id is there already takes its place. */
  async upsert(
    documents: Iterable<Document> | AsyncIterable<Document>,
    options: AddOptions = {},
  ): Promise<number> {
    return this.#add(documents, options, true);
  }

  /** Deletes documents, with the next commit; how many of the ids there were. */
  async delete(ids: Iterable<string>): Promise<number> {
    if (typeof ids === "string") throw new UsageError("delete takes a list of ids, not one text");
    checkIterable("ids", "ids", ids ?? null);
    return this.#live.delete(ids);
  }

  /** Makes all changes since the last commit visible, at once; on the disk when this resolves. */
  async commit(options: { onProgress?: OnProgress } = {}): Promise<void> {
    checkProgress("commit", options);
    await this.#live.commit(options.onProgress);
  }

  /** Forgets all changes since the last commit. */
  async rollback(): Promise<void> {
    await this.#live.rollback();
  }

  /** Moves on to the newest commit, whoever made it; whether there was a newer one. */
  async refresh(): Promise<boolean> {
    return this.#live.refresh();
  }

  /**
   * Looks whether it can still be used: an error when it was closed, or when its files are gone, cut short or replaced.
   * That is quick: lengths and headers are looked at. `Sluice.verify` reads every byte.
   */
  async check(): Promise<void> {
    this.#live.check();
  }

  /** Commits, merges all segments, and weighs all rows by the statistics of now: as if built anew. */
  async optimize(options: { onProgress?: OnProgress } = {}): Promise<void> {
    checkProgress("optimize", options);
    await this.#live.optimize(options.onProgress);
  }

  /** Another weight of the semantic part, with the next commit. */
  async setLambda(lambda: number): Promise<void> {
    checkWeight(lambda ?? null);
    await this.#live.setLambda(lambda);
  }

  /** Waits until no merge runs in the background. */
  async idle(): Promise<void> {
    await this.#live.idle();
  }

  /** Writes the last commit of an index in memory into a folder, whole or not at all; what is there is replaced. */
  async save(folder: string): Promise<void> {
    checkText("the folder of an index", folder);
    if (this.folder === undefined) {
      await this.#live.saveTo(folder, this.#weight);
      return;
    }
    if (resolve(folder) !== resolve(this.folder)) {
      throw new UsageError(`${folder}: an index of a folder stays there`, "copy the folder");
    }
    await this.setLambda(this.#weight);
    await this.commit();
  }

  /**
   * Writes the last commit as a folder of plain files that any file server can host: `sluice/browser` searches it in a page.
   * The index itself is only read. An older export is replaced, whole or not at all; other folders are refused.
   */
  async exportWeb(folder: string, options: ExportOptions = {}): Promise<Exported> {
    checkText("the folder of an export", folder);
    checkOptions(options, EXPORT_OPTIONS, "exportWeb");
    checkFunction("onProgress", options.onProgress);
    checkSignal(options.signal);
    const snapshot = this.#snapshot.retain();
    try {
      return await exportSnapshot(snapshot, folder, this.#weight, options);
    } finally {
      snapshot.release();
    }
  }

  /** Forgets what is not committed, and closes the index, with the encoder that it opened. An encoder that was given stays open. */
  async close(): Promise<void> {
    await this.#asker.close();
    await this.#crossEncoders?.close();
    this.#crossEncoders = undefined;
    await this.#pool?.close();
    this.#pool = undefined;
    this.#kernel.device?.close();
    this.#kernel = WASM;
    await this.#live.close();
  }

  /** `await using index = await Sluice.open(…)` closes it at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get size(): number {
    return this.#snapshot.size;
  }

  /** The folder it is in; undefined for an index in memory. */
  get folder(): string | undefined {
    return this.#live.folder;
  }

  /** Whether it can be changed: it was not opened with readOnly. */
  get writable(): boolean {
    return this.#live.writable;
  }

  /** Whether its documents came with vectors of their own: no model makes a vector of a text that is searched for. */
  get ownVectors(): boolean {
    const { semanticDims, encoder } = this.#snapshot;
    return semanticDims > 0 && encoder === undefined;
  }

  /** What scores documents, why it is that, and with a GPU how much of its memory is taken. */
  get kernel(): KernelInfo {
    return kernelInfo(this.#kernel);
  }

  /** How rows of this index were densified: a query must agree. */
  get settings(): Settings {
    return this.#snapshot.settings;
  }

  /** Where each term of this index goes. */
  get slicing(): Slicing {
    return this.#snapshot.slicing;
  }

  /** The ids of all documents, in document order. */
  get ids(): readonly string[] {
    return this.#snapshot.ids;
  }

  async search(query: Query, options: RerankedSearchOptions = {}): Promise<Answer> {
    return (await this.#searchAll([query], options, "search"))[0];
  }

  /** Many questions with the same options, answered faster than one by one: what is read is read for all of them. */
  async searchAll(queries: readonly Query[], options: RerankedSearchOptions = {}): Promise<Answer[]> {
    return this.#searchAll(queries, options, "searchAll");
  }

  /** Why a document scores what it scores. */
  async explain(query: Query, id: string, options: { lambda?: number } = {}): Promise<Explanation> {
    checkQuery(query);
    checkExplainOptions(options);
    const { lambda = this.#weight } = options;
    const snapshot = this.#snapshot.retain();
    try {
      const number = numberOf(snapshot, id);
      const encoded = await this.#asker.encoded(snapshot, query, lambda);
      return await explained(snapshot, encoded, number, lambda, snapshot.document(number));
    } finally {
      snapshot.release();
    }
  }

  /** What becomes of a query: its terms, where they go, and which of them the first stage of a plan looks at. */
  async plan(query: Query, options: { lambda?: number; plan?: Plan } = {}): Promise<PlannedQuery> {
    checkQuery(query);
    checkOptions(options, { lambda: true, plan: true }, "plan");
    checkWeight(options.lambda);
    const { lambda = this.#weight, plan = { kind: "auto" } } = options;
    const snapshot = this.#snapshot.retain();
    try {
      return planned(snapshot.slicing, await this.#asker.encoded(snapshot, query, lambda), lambda, plan);
    } finally {
      snapshot.release();
    }
  }

  /** Where the terms of a query, as an answer has them, stand in a document: what to mark when it is shown. */
  highlight(terms: Iterable<QueryTerm>, document: Fields): Highlights {
    const kept = new Set([...terms].filter(({ fate }) => fate === "kept").map(({ term }) => term));
    const { analyzer } = this.#snapshot.lexical;
    const rangesOf = (text: unknown) =>
      typeof text === "string" ? highlight(analyzer, text, kept) : undefined;
    const [title, text] = [rangesOf(document.title), rangesOf(document.text)];
    return { ...(title && { title }), ...(text && { text }) };
  }

  /** Texts as queries that are encoded already: many at once are encoded faster than one by one. */
  async encodeQueries(texts: readonly string[], options: EncodeOptions = {}): Promise<Query[]> {
    checkOptions(options, ENCODE_OPTIONS, "encodeQueries");
    checkFunction("onProgress", options.onProgress);
    checkSignal(options.signal);
    checkIterable("texts", "texts", texts ?? null);
    return this.#asker.encodeQueries(this.#snapshot, texts, options);
  }

  /** Both parts of every document's score, in document order, λ left out of the semantic one: for tuning λ. */
  async scoreParts(query: Query): Promise<{ lexical: Float64Array; semantic: Float64Array }> {
    checkQuery(query);
    const snapshot = this.#snapshot.retain();
    try {
      const { row, vector } = await this.#asker.encoded(snapshot, query, 1);
      const whole = [new Float64Array(snapshot.docs), new Float64Array(snapshot.docs)];
      for (const segment of snapshot.segments) {
        const rows = await segment.rows();
        const [lexical, semantic] = whole.map((all) =>
          all.subarray(segment.first, segment.first + rows.docs),
        );
        await scalar.gip(row, rows, lexical);
        if (vector) await scalar.gip({ ...EMPTY_ROW, semantic: vector }, rows, semantic);
      }
      const numbers = [...snapshot.numbers()];
      const [lexical, semantic] = whole.map((all) => Float64Array.from(numbers, (number) => all[number]));
      return { lexical, semantic };
    } finally {
      snapshot.release();
    }
  }

  /** The same index with another weight of the semantic part, to be searched, or saved. Closing one closes both. */
  withLambda(lambda: number): Sluice {
    checkWeight(lambda ?? null);
    const other = new Sluice(this.#live);
    other.#lambda = lambda;
    other.#kernel = this.#kernel;
    return other.#attachEncoder(this.#asker.opened).#setThreads(this.#threads, this.#rowBytes);
  }

  /** A document's row as the bag of words it stands for, heaviest first; with θ, only what exceeds it. */
  revert(id: string, theta?: number): RevertedTerm[] {
    const { segment, doc } = this.#find(id);
    return revert(this.slicing, segment.source.rowSync(doc), theta);
  }

  /** A document's row and vector, for use as a query against an index with the same settings. */
  queryOf(id: string): Query {
    const { segment, doc } = this.#find(id);
    const { source } = segment;
    const { semanticDims } = source.meta;
    const vectors = source.sections.sectionSync("semantic") as Uint16Array;
    const semantic = vectors.subarray(doc * semanticDims, (doc + 1) * semanticDims);
    return {
      row: source.rowSync(doc),
      settings: this.settings,
      ...(semanticDims > 0 && { vector: Float32Array.from(semantic, (bits) => FLOAT16[bits]) }),
    };
  }

  /** Whether a document has this id. */
  has(id: string): boolean {
    return this.#snapshot.numberOf(id) !== undefined;
  }

  /** The document as it was given, without id, weights and vector. */
  document(id: string): Fields {
    const document = this.#snapshot.documentOf(id);
    if (!document) throw noDocument(id);
    return document;
  }

  /** The documents' other fields, and what is in them: what a filter can be made of. */
  async fields(): Promise<FieldInfo[]> {
    const snapshot = this.#snapshot.retain();
    try {
      return await fieldsOf(snapshot);
    } finally {
      snapshot.release();
    }
  }

  info(): IndexInfo {
    return infoOf(this.#snapshot, this.#weight, this.#live.diskBytes());
  }

  get #snapshot(): Snapshot {
    return this.#live.snapshot;
  }

  get #weight(): number {
    return this.#lambda ?? this.#snapshot.lambda;
  }

  #attachEncoder(encoder: Encoder | undefined, isOwned = false): this {
    if (encoder) this.#asker.attach(encoder, isOwned);
    return this;
  }

  #setThreads(threads = 1, rowBytes?: number): this {
    this.#threads = threads;
    this.#rowBytes = rowBytes;
    return this;
  }

  async #chooseKernel(kernel: KernelName = "wasm", gpu?: GpuOptions): Promise<this> {
    // `full` slicing has a slice for every term, and may have few of them yet.
    const { dims } = this.#snapshot.settings;
    this.#kernel = await chooseKernel(kernel, dims, gpu);
    return this;
  }

  async #searchAll(
    queries: readonly Query[],
    { rerank, ...wanted }: RerankedSearchOptions,
    what: string,
  ): Promise<Answer[]> {
    checkSearchOptions(wanted, what);
    checkRerank(rerank);
    const { k = 10, offset = 0, signal } = wanted;
    const options = rerank ? { ...wanted, offset: 0, k: firstStageDepth(rerank, k, offset) } : wanted;
    if (this.#threads > 1) this.#pool ??= new ScanPool(this.#threads);
    const means = {
      ...(this.#rowBytes !== undefined && { rowBytes: this.#rowBytes }),
      ...(this.#pool && { pool: this.#pool }),
      ...(this.#kernel.device && { device: this.#kernel.device }),
    };
    const turns = new Turns(options.signal);
    const snapshot = this.#snapshot.retain();
    try {
      const asked = { ...options, lambda: options.lambda ?? this.#weight };
      const ranked = await rankAll(snapshot, this.#asker, queries, asked, means, turns);
      const answers: Answer[] = [];
      for (const { docs, ...answer } of ranked) {
        answers.push({ hits: hitsOf(snapshot, docs), ...answer });
        if (turns.isDue) await turns.next();
      }
      if (!rerank) return answers;
      const scorer = await this.#scorerOf(rerank.model);
      for (const [i, answer] of answers.entries()) {
        answers[i] = await reranked(answer, queries[i], scorer, rerank, { k, offset, signal });
      }
      return answers;
    } finally {
      snapshot.release();
    }
  }

  async #scorerOf(model: RerankOptions["model"]): Promise<PairScorer> {
    if (typeof model !== "string") return model;
    const { CrossEncoders } = await import("./encode/cross-encoders.ts");
    this.#crossEncoders ??= new CrossEncoders();
    return this.#crossEncoders.of(model);
  }

  async #add(
    documents: Iterable<Document> | AsyncIterable<Document>,
    options: AddOptions,
    upsert: boolean,
  ): Promise<number> {
    checkIterable("documents", "documents", documents ?? null, true);
    checkOptions(options, ADD_OPTIONS, upsert ? "upsert" : "add");
    checkObject("encodings", options.encodings);
    checkFunction("onProgress", options.onProgress);
    checkSignal(options.signal);
    const { encodings, signal, onProgress } = options;
    const live = this.#live;
    const whileReading = <T>(next: () => T): T => {
      live.isReading = true;
      try {
        return next();
      } finally {
        live.isReading = false;
      }
    };
    const asker = this.#asker;
    // The model is opened when it is this work's turn: what is asked next without waiting comes after it.
    const source = async function* () {
      const encoder = await asker.open(live.encoder);
      const options = { ...(encodings && { encodings }), ...(onProgress && { onProgress }) };
      const ready = encoded(checkedDocuments(documents, whileReading), {
        ...options,
        ...(encoder && { encoder }),
        ...(signal && { signal }),
      });
      yield* signal ? stoppable(ready, signal) : ready;
    };
    return live.add(source(), { upsert, onProgress });
  }

  #find(id: string): { segment: Segment; doc: number } {
    const number = numberOf(this.#snapshot, id);
    const segment = this.#snapshot.segmentOf(number);
    return { segment, doc: number - segment.first };
  }
}

/** The same documents, until the signal says stop, even while their source waits. */
async function* stoppable(
  documents: Iterable<Document> | AsyncIterable<Document>,
  signal: AbortSignal,
): AsyncGenerator<Document> {
  const source = iteratorOf(documents);
  const aborted = rejectedBy(signal);
  try {
    for (let done = 0; ; ) {
      signal.throwIfAborted();
      const next = await Promise.race([source.next(), aborted.promise]);
      signal.throwIfAborted();
      if (next.done) return;
      if (++done % PROGRESS_STEP === 0) await turn(); // a signal that another turn of the event loop sends arrives
      yield next.value;
    }
  } finally {
    aborted.forget();
    void Promise.resolve(source.return?.()).catch(() => {}); // a source that waits must not be waited for
  }
}

function iteratorOf<T>(values: Iterable<T> | AsyncIterable<T>): AsyncIterator<T> | Iterator<T> {
  return Symbol.asyncIterator in values ? values[Symbol.asyncIterator]() : values[Symbol.iterator]();
}

/** A promise that rejects when the signal is aborted; `forget` lets go of the signal. */
function rejectedBy(signal: AbortSignal): { promise: Promise<never>; forget(): void } {
  let forget = () => {};
  const promise = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    forget = () => signal.removeEventListener("abort", abort);
  });
  promise.catch(() => {});
  return { promise, forget };
}

/** What an index begins with, made from its options when it is first needed. */
function freshIndex(options: WithModel<OpenOptions>): () => Fresh {
  return once(() => {
    const { encoder, quantize } = options;
    return {
      model: freshModel(forNewIndex(options)),
      lambda: firstLambda(options),
      ...(encoder && { encoder: recordOf(encoder) }),
      ...(quantize && { quantize }),
    };
  });
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Opens the model that encoded the documents from where it was. */
async function openModel(record: EncoderRecord): Promise<Encoder> {
  const encoder = await Encoder.open(record.path, { description: record.description });
  try {
    requireEncoder(encoder, record, "ERR_SLUICE_FILE");
    return encoder;
  } catch (error) {
    await encoder.close();
    throw error;
  }
}
