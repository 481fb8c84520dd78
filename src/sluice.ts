// The index as a program has it in hand: opened in a folder or built in memory, changed, searched, explained.

import { resolve } from "node:path";
import type { Slicing } from "./densify/slicing.ts";
import type { Document, Fields } from "./documents/document.ts";
import { checkFilter } from "./documents/filter.ts";
import type { EncodeOptions, Encoder } from "./encode/encoder.ts";
import { UsageError } from "./errors.ts";
import { buildIndex, type IndexParts, openIndex } from "./open/open-index.ts";
import { checkSave, type OpenOptions } from "./open/open-options.ts";
import type { SearchRuntime } from "./open/search-runtime.ts";
import type { QueryExplanation } from "./query/explain-query.ts";
import { type Highlights, highlightDocument } from "./query/highlights.ts";
import type { Plan } from "./query/plan.ts";
import type { Query, QueryTerm } from "./query/query.ts";
import type { QueryEncoder } from "./query/query-encoder.ts";
import { type Answer, answerQueries, docOf, type Hit, noDocument } from "./rank/answer.ts";
import { type ExplainOptions, type Explanation, explainDocument, explainQueryFor } from "./rank/explain.ts";
import { hitsOf } from "./rank/hits.ts";
import {
  checkRerank,
  firstStageDepth,
  type RerankedSearchOptions,
  rerankAnswer,
  withoutRerank,
} from "./rank/rerank.ts";
import { checkSearchOptions, checkWeight, type KernelOptions } from "./rank/search-options.ts";
import type { KernelInfo } from "./scan/kernel-options.ts";
import { type FieldInfo, fieldsOf } from "./store/fields.ts";
import { holdsIndex } from "./store/index-folder.ts";
import type { BuildOptions } from "./store/index-options.ts";
import { type IndexInfo, infoOf } from "./store/info.ts";
import type { LiveIndex } from "./store/live-index.ts";
import type { Snapshot } from "./store/snapshot.ts";
import { type Verification, verifyFolder } from "./store/verify/verify.ts";
import { type Exported, type ExportOptions, exportSnapshot } from "./store/web/web-export.ts";
import { type AddOptions, addDocuments, checkAdd } from "./store/write/add-documents.ts";
import { checkIterable, checkText } from "./support/options.ts";
import type { OnProgress } from "./support/progress.ts";
import { Turns } from "./support/turns.ts";
import { checkWorkOptions, type WorkOptions } from "./support/work-options.ts";

/**
 * An index of documents. It finds them by words and by meaning, with one score. `DocumentType` is the type of your
 * documents, and `FieldsType`, which follows from it, is what comes back with a hit.
 */
export class Sluice<DocumentType extends Document = Document, FieldsType = Fields<DocumentType>> {
  readonly #live: LiveIndex;
  readonly #queryEncoder: QueryEncoder<Encoder>;
  readonly #runtime: SearchRuntime;

  private constructor({ live, queryEncoder, runtime }: IndexParts) {
    this.#live = live;
    this.#queryEncoder = queryEncoder;
    this.#runtime = runtime;
  }

  /**
   * Opens the index of a folder. If the folder holds none, the first commit creates one with these options.
   *
   * Any number of processes may search. One may write: the first change locks the index until `close`, and a second
   * writer gets an error. The encoder of the index is opened when it is first needed, unless you give it here.
   *
   * @example
   * ```ts
   * interface Article { id: string; title: string; text: string; year: number }
   * const index = await Sluice.open<Article>("./my-index", { encoder: "static" });
   * ```
   */
  static async open<DocumentType extends Document = Document>(
    folder: string,
    options: OpenOptions = {},
  ): Promise<Sluice<DocumentType>> {
    return new Sluice<DocumentType>(await openIndex(folder, options));
  }

  /**
   * Makes an index in memory with these documents. You can change and search it like one in a folder, and `save` writes
   * it into a folder.
   */
  static async build<DocumentType extends Document = Document>(
    documents: Iterable<DocumentType> | AsyncIterable<DocumentType>,
    options: BuildOptions & KernelOptions = {},
  ): Promise<Sluice<DocumentType>> {
    return new Sluice<DocumentType>(await buildIndex(documents, options));
  }

  /** @internal What an index searches, for `sluice/lab` and for tests. */
  static internalsOf(index: Sluice) {
    return { snapshot: index.#snapshot, queryEncoder: index.#queryEncoder, device: index.#runtime.device };
  }

  /** Whether a folder holds an index, readable or not. */
  static async exists(folder: string): Promise<boolean> {
    checkText("the folder of an index", folder);
    return holdsIndex(folder);
  }

  /** Reads every byte of an index, and reports what is damaged. */
  static async verify(folder: string, options: { onProgress?: OnProgress } = {}): Promise<Verification> {
    return verifyFolder(folder, options);
  }

  /**
   * Adds documents. Searches find them after the next commit. If the index already has an id, or the source of the
   * documents fails, no document of this call is added. Returns how many were added.
   */
  async add(
    documents: Iterable<DocumentType> | AsyncIterable<DocumentType>,
    options: AddOptions = {},
  ): Promise<number> {
    checkAdd("add", documents, options);
    return addDocuments(this.#live, () => this.#openEncoder(), documents, { ...options, upsert: false });
  }

  /**
   * Adds documents, all or none. A document with the id of another replaces it.
   *
   * @example
   * ```ts
   * await index.upsert([{ id: "lock", title: "Lock", text: "Raises boats between two levels", year: 1373 }]);
   * await index.commit(); // on disk, and visible to searches
   * ```
   */
  async upsert(
    documents: Iterable<DocumentType> | AsyncIterable<DocumentType>,
    options: AddOptions = {},
  ): Promise<number> {
    checkAdd("upsert", documents, options);
    return addDocuments(this.#live, () => this.#openEncoder(), documents, { ...options, upsert: true });
  }

  /** Deletes documents, with the next commit. Returns how many of the ids there were. */
  async delete(ids: Iterable<string>): Promise<number> {
    if (typeof ids === "string") throw new UsageError("delete takes a list of ids, not one text");
    checkIterable("ids", "ids", ids ?? null);
    return this.#live.delete(ids);
  }

  /**
   * Makes all changes since the last commit visible at once. They are on disk when this resolves. A signal stops it
   * before that point: then nothing is visible, and all changes wait for the next commit.
   */
  async commit(options: WorkOptions = {}): Promise<void> {
    checkWorkOptions("commit", options);
    await this.#live.commit(options);
  }

  /** Forgets all changes since the last commit. */
  async rollback(): Promise<void> {
    await this.#live.rollback();
  }

  /** Moves on to the newest commit of any process. Returns whether there was a newer one. */
  async refresh(): Promise<boolean> {
    return this.#live.refresh();
  }

  /**
   * Throws if the index was closed, or if its files are missing, cut short or replaced. It is quick, because it reads only
   * lengths and headers. `Sluice.verify` reads every byte.
   */
  async check(): Promise<void> {
    this.#live.check();
  }

  /**
   * Commits, merges all segments into one, and weights all rows by the statistics of now, as if the index were built
   * again. A signal stops it between two steps: the commit and the merges that are done stay.
   */
  async optimize(options: WorkOptions = {}): Promise<void> {
    checkWorkOptions("optimize", options);
    await this.#live.optimize(options);
  }

  /** Changes the weight of the semantic part, with the next commit. */
  async setLambda(lambda: number): Promise<void> {
    checkWeight(lambda ?? null);
    await this.#live.setLambda(lambda);
  }

  /** Waits until no merge runs in the background. */
  async idle(): Promise<void> {
    await this.#live.idle();
  }

  /**
   * Writes the last commit of an index in memory into a folder, whole or not at all. An index that is there is replaced
   * only with `overwrite`.
   */
  async save(folder: string, options: { overwrite?: boolean } = {}): Promise<void> {
    checkSave(folder, options);
    const { overwrite = false } = options;
    if (this.folder === undefined) await this.#live.saveTo(folder, this.#snapshot.lambda, overwrite);
    else if (resolve(folder) === resolve(this.folder)) await this.commit();
    else throw new UsageError(`${folder}: an index of a folder stays there`, "copy the folder");
  }

  /**
   * Writes the last commit as plain files that any web server can host; `sluice/browser` searches them in a page. An older
   * export in the folder is replaced, whole or not at all. Other folders are refused.
   */
  async exportWeb(folder: string, options: ExportOptions = {}): Promise<Exported> {
    return this.#reading((snapshot) => exportSnapshot(snapshot, folder, snapshot.lambda, options));
  }

  /** Forgets uncommitted changes and closes the index. It closes the encoder that it opened; yours stays open. */
  async close(): Promise<void> {
    await this.#queryEncoder.close();
    await this.#runtime.close();
    await this.#live.close();
  }

  /** `await using index = await Sluice.open(…)` closes the index at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The number of documents. */
  get size(): number {
    return this.#snapshot.size;
  }

  /** The folder of the index; undefined for an index in memory. */
  get folder(): string | undefined {
    return this.#live.folder;
  }

  /** Whether it can be changed: it was not opened with `readOnly`. */
  get writable(): boolean {
    return this.#live.writable;
  }

  /** Whether documents came with their own vectors, so that no encoder turns the text of a query into one. */
  get ownVectors(): boolean {
    const { semanticDims, encoder } = this.#snapshot;
    return semanticDims > 0 && encoder === undefined;
  }

  /** What computes scores, why it was chosen, and how much memory of a GPU it takes. */
  get kernel(): KernelInfo {
    return this.#runtime.kernel;
  }

  /** The cell of each term. `like: index.slicing` gives another index the same, so that rows of both can be compared. */
  get slicing(): Slicing {
    return this.#snapshot.slicing;
  }

  /** The ids of all documents. */
  get ids(): readonly string[] {
    return this.#snapshot.ids;
  }

  /**
   * Returns the best documents for a query, best first.
   *
   * @example
   * ```ts
   * const { hits } = await index.search("boats in a canal", { k: 3, filter: { year: { lt: 1900 } } });
   * for (const { score, document } of hits) console.log(score, document.title, document.year);
   * ```
   */
  async search(query: Query, options: RerankedSearchOptions = {}): Promise<Answer<FieldsType>> {
    return (await this.#searchAll("search", [query], options))[0];
  }

  /** Answers many queries with the same options. That is faster than one by one: what is read is read for all of them. */
  async searchAll(
    queries: readonly Query[],
    options: RerankedSearchOptions = {},
  ): Promise<Answer<FieldsType>[]> {
    return this.#searchAll("searchAll", queries, options);
  }

  /** Explains why a document scores what it scores. */
  async explain(query: Query, id: string, options: ExplainOptions = {}): Promise<Explanation<FieldsType>> {
    const explanation = await this.#reading((snapshot) =>
      explainDocument(snapshot, this.#queryEncoder, query, id, options, (doc) => snapshot.document(doc)),
    );
    return explanation as Explanation<FieldsType>;
  }

  /** Explains a query: its terms, their cells, and which of them the first stage of a plan uses. */
  async explainQuery(
    query: Query,
    options: ExplainOptions & { plan?: Plan } = {},
  ): Promise<QueryExplanation> {
    return this.#reading((snapshot) => explainQueryFor(snapshot, this.#queryEncoder, query, options));
  }

  /** Where the terms of an answer occur in a document's title and text, to mark them. */
  highlight(terms: Iterable<QueryTerm>, document: Fields | FieldsType): Highlights {
    return highlightDocument(this.#snapshot.weighting.analyzer, terms, document as Fields);
  }

  /** Encodes texts into queries. Many at once are faster than one by one. */
  async encodeQueries(texts: readonly string[], options: EncodeOptions = {}): Promise<Query[]> {
    checkWorkOptions("encodeQueries", options as WorkOptions);
    checkIterable("texts", "texts", texts ?? null);
    return this.#queryEncoder.encodeQueries(this.#snapshot, texts, options);
  }

  /** Whether a document has this id. */
  has(id: string): boolean {
    return this.#snapshot.docOf(id) !== undefined;
  }

  /** The document as it was given, without id, weights and vector. */
  document(id: string): FieldsType {
    const document = this.#snapshot.documentOf(id);
    if (!document) throw noDocument(id);
    return document as FieldsType;
  }

  /** The vector of a document, rounded to float16 as the index stores it. Undefined if the index has no vectors. */
  async vector(id: string): Promise<Float32Array | undefined> {
    return this.#reading((snapshot) => snapshot.vector(docOf(snapshot, id)));
  }

  /** The fields of the documents that a filter can use, and their values. */
  async fields(): Promise<FieldInfo[]> {
    return this.#reading(fieldsOf);
  }

  /** Sizes, settings and counts of the index. */
  info(): IndexInfo {
    return infoOf(this.#snapshot, this.#snapshot.lambda, this.#live.diskBytes());
  }

  get #snapshot(): Snapshot {
    return this.#live.snapshot;
  }

  #openEncoder(): Promise<Encoder | undefined> {
    return this.#queryEncoder.open(this.#live.encoder);
  }

  /** Reads from the snapshot of now, which stays open meanwhile. */
  async #reading<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const snapshot = this.#snapshot.retain();
    try {
      return await work(snapshot);
    } finally {
      snapshot.release();
    }
  }

  async #searchAll(
    what: string,
    queries: readonly Query[],
    given: RerankedSearchOptions,
  ): Promise<Answer<FieldsType>[]> {
    const wanted = withoutRerank(given);
    checkSearchOptions(wanted, what);
    const { rerank } = given;
    checkRerank(rerank);
    const { k = 10, offset = 0, signal } = wanted;
    const options = rerank ? { ...wanted, offset: 0, k: firstStageDepth(rerank, k, offset) } : wanted;
    const condition = options.filter && checkFilter(options.filter);
    const turns = new Turns(options.signal);
    return this.#reading(async (snapshot) => {
      const asked = { ...options, condition, lambda: options.lambda ?? snapshot.lambda };
      const { resources } = this.#runtime;
      const ranked = await answerQueries(snapshot, this.#queryEncoder, queries, asked, resources, turns);
      const answers: Answer<FieldsType>[] = [];
      for (const { docs, ...answer } of ranked) {
        answers.push({ hits: hitsOf(snapshot, docs) as Hit<FieldsType>[], ...answer });
        if (turns.isDue) await turns.next();
      }
      if (!rerank) return answers;
      const reranker = await this.#runtime.rerankerFor(rerank.model);
      for (const [i, answer] of answers.entries()) {
        answers[i] = await rerankAnswer(answer, queries[i], reranker, rerank, { k, offset, signal });
      }
      return answers;
    });
  }
}
