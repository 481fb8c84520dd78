// The index as a program has it in hand: opened in a folder or built in memory, changed, searched, explained.

/// <reference lib="esnext.disposable" preserve="true" />

import type { Slicing } from "./densify/slicing.ts";
import type { Document, Fields } from "./documents/document.ts";
import type { Filter } from "./documents/filter.ts";
import { dropIndexAt, hasIndexAt, openIndexAt, saveIndexAt, verifyIndexAt } from "./index-locations.ts";
import { type AddOptions, checkAdd } from "./ingest/options/add-options.ts";
import { checkDelete, type DeleteOptions } from "./ingest/options/delete-options.ts";
import { shareBackend } from "./internals.ts";
import type { ChangeResult } from "./open/change-results.ts";
import type { IndexBackend } from "./open/index-backend.ts";
import { buildMemoryIndex } from "./open/open-index.ts";
import type { BuildOptions, OpenOptions } from "./open/open-options.ts";
import type { Query, QueryTerm } from "./query/ask/query.ts";
import type { Explanation } from "./rank/explain.ts";
import { repairIndex } from "./repair/repair-index.ts";
import type { RepairOptions, RepairResult } from "./repair/repair-options.ts";
import type { KernelInfo } from "./scan/contract/kernel-options.ts";
import type { QueryExplanation } from "./search/explain/explain-query.ts";
import type { Answer } from "./search/hits/answer.ts";
import { type Highlights, highlightDocument } from "./search/hits/highlights.ts";
import type { DocumentList } from "./search/list/list-documents.ts";
import type { ExplainOptions, ExplainQueryOptions } from "./search/options/explain-options.ts";
import type { ListOptions, PassagesOptions } from "./search/options/list-options.ts";
import type { SearchOptions } from "./search/options/search-options.ts";
import type { SuggestOptions } from "./search/options/suggest-options.ts";
import type { Searchable } from "./search/searchable.ts";
import type { Suggestion } from "./search/suggest/suggest.ts";
import { type BackupResult, type CopyResult, restoreFolder } from "./store/backup/backup.ts";
import type { FieldInfo } from "./store/snapshot/fields.ts";
import type { IndexInfo } from "./store/snapshot/index-info.ts";
import type { Snapshot } from "./store/snapshot/snapshot.ts";
import type { VerifyResult } from "./store/verify/verify.ts";
import type { ExportOptions, ExportResult } from "./store/web/web-export.ts";
import { checkLambda } from "./support/options/lambda.ts";
import { checkId, checkIds, checkTexts, readList, requireIterable } from "./support/options/options.ts";
import type { SaveOptions } from "./support/options/save-options.ts";
import { checkWorkOptions, type WorkOptions } from "./support/options/work-options.ts";

/**
 * An index of documents. It finds them by words and by meaning, with one score. `DocumentType` is the type of your
 * documents, and `FieldsType`, which follows from it, is what comes back with a hit. Calls without a comment here are documented
 * by `Searchable`.
 */
export class Sluice<DocumentType extends Document = Document, FieldsType = Fields<DocumentType>>
  implements Searchable<FieldsType>
{
  readonly #backend: IndexBackend;

  static {
    shareBackend((index) => (index as Sluice).#backend);
  }

  private constructor(backend: IndexBackend) {
    this.#backend = backend;
  }

  /**
   * Opens the index at a location: a folder, or the address of an OpenSearch cluster. If there is none, the first commit creates
   * one with these options, unless `create` is false. It finds by words and by meaning, unless you give the encoder "none".
   *
   * Any number of processes may search. One may write: the first change locks the index until `close`, and a second
   * writer gets an error. The encoder of the index is opened when it is first needed, unless you give it here.
   *
   * The type is yours to know: nothing checks that the documents of the index have it.
   *
   * @example
   * ```ts
   * interface Article { id: string; title: string; text: string; year: number }
   * const index = await Sluice.open<Article>("./my-index");
   * ```
   */
  static async open<DocumentType extends Document = Document>(
    location: string,
    options: OpenOptions = {},
  ): Promise<Sluice<DocumentType>> {
    return new Sluice<DocumentType>(await openIndexAt(location, options));
  }

  /**
   * Makes an index in memory with these documents. You can change and search it like one in a folder, and `save` writes
   * it into a folder.
   */
  static async build<DocumentType extends Document = Document>(
    documents: Iterable<DocumentType> | AsyncIterable<DocumentType>,
    options: BuildOptions = {},
  ): Promise<Sluice<DocumentType>> {
    return new Sluice<DocumentType>(await buildMemoryIndex(documents, options));
  }

  /** Whether there is an index at a location, readable or not. */
  static async exists(location: string, options: Pick<OpenOptions, "cluster"> = {}): Promise<boolean> {
    return hasIndexAt(location, options);
  }

  /**
   * Removes an index with its folder, or from its cluster, whole or not at all. Damaged indexes can be dropped, too. Throws if
   * there is none (`ERR_SLUICE_NO_INDEX`), if somebody writes to it (`ERR_SLUICE_LOCKED`), or if the folder holds other files.
   */
  static async drop(location: string, options: Pick<OpenOptions, "cluster"> = {}): Promise<void> {
    await dropIndexAt(location, options);
  }

  /** Reads every byte of an index, which takes long, and reports what is damaged. `checkFiles` of an open index is quick. */
  static async verify(
    location: string,
    options: WorkOptions & Pick<OpenOptions, "cluster"> = {},
  ): Promise<VerifyResult> {
    return verifyIndexAt(location, options);
  }

  /**
   * Makes an index of a backup, which is a folder or a tar file of a server. The copy is checked byte by byte. An index that is in
   * the folder is replaced only with `overwrite`, and not while somebody writes to it (`ERR_SLUICE_LOCKED`). The guide "Operations"
   * says which copy is for what.
   */
  static async restore(backup: string, folder: string, options: SaveOptions = {}): Promise<BackupResult> {
    return restoreFolder(backup, folder, options);
  }

  /**
   * Writes all that is whole in a damaged index into a new index in another folder, and reports what was lost. The damaged index
   * stays as it is. Documents are analyzed again, and encoded again where their segment is damaged. Throws if nothing can be
   * saved.
   *
   * @example
   * ```ts
   * const { docs, lost } = await Sluice.repair("./my-index", "./my-index-2");
   * for (const { id, reason } of lost) console.log(id, reason);
   * ```
   */
  static async repair(folder: string, into: string, options: RepairOptions = {}): Promise<RepairResult> {
    return repairIndex(folder, into, options);
  }

  /**
   * Adds documents. Searches find them after the next commit. If the index already has an id, or the source of the
   * documents fails, no document of this call is added. Do not change or reuse the objects before the call has ended.
   */
  async add(
    documents: Iterable<DocumentType> | AsyncIterable<DocumentType>,
    options: AddOptions = {},
  ): Promise<Pick<ChangeResult, "added">> {
    checkAdd("add", documents, options);
    const { added } = await this.#backend.add(documents, { ...options, upsert: false });
    return { added };
  }

  /**
   * Adds documents, all or none. A document with the id of another replaces it. If the other was cut into passages, it replaces
   * all of them.
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
  ): Promise<ChangeResult> {
    checkAdd("upsert", documents, options);
    return this.#backend.add(documents, { ...options, upsert: true });
  }

  /**
   * Deletes documents, with the next commit: those with the given ids, or those that a filter accepts. A filter sees changes that
   * are not committed yet. `{ filter: {} }` deletes all documents.
   *
   * With `withPassages`, the ids are those of documents that were added with `passages`, and all their passages are deleted. A
   * `signal` stops the call between two documents; `rollback` brings those before back.
   *
   * @example
   * ```ts
   * await index.delete(["lock", "weir"]);
   * const { deleted } = await index.delete({ filter: { year: { lt: 1900 } } });
   * await index.commit();
   * ```
   */
  async delete(
    which: Iterable<string> | { readonly filter: Filter<FieldsType> },
    options: DeleteOptions = {},
  ): Promise<Pick<ChangeResult, "deleted">> {
    const checked = checkDelete(which, options);
    const deleted =
      "condition" in checked
        ? await this.#backend.deleteMatching(checked.condition, options.signal)
        : await this.#backend.delete(checked.ids, options);
    return { deleted };
  }

  /**
   * Takes the lock that keeps other writers out until `close`, as the first change does. Throws `ERR_SLUICE_LOCKED` if another
   * writer has it. An index on a cluster has no lock between two commits: there it does nothing, and `hasLock` stays false.
   */
  async lock(): Promise<void> {
    await this.#backend.lock();
  }

  /**
   * Makes all changes since the last commit visible at once. They are on disk when this resolves. A signal stops it
   * before that point: then nothing is visible, and all changes wait for the next commit.
   */
  async commit(options: WorkOptions = {}): Promise<void> {
    checkWorkOptions("commit", options);
    await this.#backend.commit(options);
  }

  /** Forgets all changes since the last commit. */
  async rollback(): Promise<void> {
    await this.#backend.rollback();
  }

  /**
   * Moves on to the newest commit of any process. Returns whether there was a newer one. Throws `ERR_SLUICE_FILE` if the index was
   * dropped, or replaced by a restored one: open it again.
   */
  async refresh(): Promise<boolean> {
    return this.#backend.refresh();
  }

  /**
   * Throws if the index was closed, or if its files are missing, cut short or replaced. It is quick, because it reads only
   * lengths and headers. `Sluice.verify` reads every byte.
   */
  async checkFiles(): Promise<void> {
    await this.#backend.checkFiles();
  }

  /**
   * Commits, merges all segments into one, and weights all rows by current statistics, as if the index were built
   * again. A signal stops it between two steps: the commit and the merges that are done stay.
   */
  async optimize(options: WorkOptions = {}): Promise<void> {
    checkWorkOptions("optimize", options);
    await this.#backend.optimize(options);
  }

  /** Changes the weight of the semantic part, with the next commit. */
  async setLambda(lambda: number): Promise<void> {
    checkLambda(lambda);
    await this.#backend.setLambda(lambda);
  }

  /** Waits until no merge runs in the background. */
  async idle(): Promise<void> {
    await this.#backend.idle();
  }

  /**
   * Writes the last commit elsewhere, whole or not at all: of an index in memory into a folder, of any index to the address of a
   * cluster, and of one on a cluster into a folder. An index that is there is replaced only with `overwrite`. The location of the
   * index itself is refused. What was interrupted on the way to a cluster goes on where it stopped.
   * The guide "Operations" says which copy is for what.
   */
  async save(
    location: string,
    options: SaveOptions & Pick<OpenOptions, "cluster"> = {},
  ): Promise<CopyResult> {
    return saveIndexAt(this.#backend, location, options);
  }

  /**
   * Writes the last commit as plain files that any web server can host; `sluice/browser` searches them in a page. An older
   * export in the folder is replaced, whole or not at all. Other folders are refused.
   * The guide "Operations" says which copy is for what.
   */
  async exportWeb(folder: string, options: ExportOptions = {}): Promise<ExportResult> {
    return this.#backend.exportWeb(folder, options);
  }

  /**
   * Copies the last commit into another folder, while any process reads and writes the index. The copy is an index, too, and is
   * checked byte by byte. If the folder holds an older backup, only new segments are copied. It is replaced as a whole, or not at
   * all. The guide "Operations" says which copy is for what.
   */
  async backup(folder: string, options: WorkOptions = {}): Promise<BackupResult> {
    return this.#backend.backup(folder, options);
  }

  /** Forgets uncommitted changes and closes the index. It closes the encoder that it opened; yours stays open. */
  async close(): Promise<void> {
    await this.#backend.close();
  }

  /** `await using index = await Sluice.open(…)` closes the index at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get docs(): number {
    return this.#snapshot.docs;
  }

  /** Where the index is: a folder, or the address of a cluster; undefined for an index in memory. */
  get location(): string | undefined {
    return this.#backend.location;
  }

  /** Whether it can be changed: it was not opened with `readOnly`. */
  get writable(): boolean {
    return this.#backend.writable;
  }

  /** Whether it keeps other writers out: it has changed the index, or `lock` was called. Always false on a cluster. */
  get hasLock(): boolean {
    return this.#backend.hasLock;
  }

  get hasOwnVectors(): boolean {
    return this.#snapshot.hasOwnVectors;
  }

  get kernel(): KernelInfo {
    return this.#backend.kernel;
  }

  /** The cell of each term. `slicingOf: index.slicing` gives another index the same, so that rows of both can be compared. */
  get slicing(): Slicing {
    return this.#snapshot.slicing;
  }

  /**
   * The documents that a filter accepts, a page at a time, in the order in which they were added, as of the last commit. `total`
   * counts all of them; `limit: 0` counts alone. `next` leads to the next page: a document that nobody changes meanwhile is
   * listed exactly once, and one that is added or replaced comes at the end.
   *
   * @example
   * ```ts
   * for (let after: string | undefined; ; ) {
   *   const page = await index.list({ filter: { year: { lt: 1900 } }, after });
   *   for (const { id, document } of page.documents) console.log(id, document.title);
   *   after = page.next;
   *   if (after === undefined) break;
   * }
   * ```
   */
  async list(options: ListOptions<FieldsType> = {}): Promise<DocumentList<FieldsType>> {
    return (await this.#backend.list(options)) as DocumentList<FieldsType>;
  }

  async listIds(): Promise<readonly string[]> {
    return this.#backend.listIds();
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
  async search(query: Query, options: SearchOptions<FieldsType> = {}): Promise<Answer<FieldsType>> {
    return (await this.#search([query], options, "search"))[0];
  }

  /** Answers many queries with the same options. That is faster than one by one: what is read is read for all of them. */
  async searchAll(
    queries: Iterable<Query>,
    options: SearchOptions<FieldsType> = {},
  ): Promise<Answer<FieldsType>[]> {
    return this.#search(readList("queries", "queries", queries), options, "searchAll");
  }

  async explain(
    query: Query,
    id: string,
    options: ExplainOptions<FieldsType> = {},
  ): Promise<Explanation<FieldsType>> {
    return (await this.#backend.explain(query, id, options as ExplainOptions)) as Explanation<FieldsType>;
  }

  async explainQuery(query: Query, options: ExplainQueryOptions = {}): Promise<QueryExplanation> {
    return this.#backend.explainQuery(query, options);
  }

  /**
   * What a user may want to type: the last word completed, or misspelled words corrected, with the number of documents that
   * contain them.
   *
   * @example
   * ```ts
   * for (const { text, docs } of await index.suggest("boats in a cnal")) console.log(text, docs);
   * ```
   */
  async suggest(text: string, options: SuggestOptions = {}): Promise<Suggestion[]> {
    return this.#backend.suggest(text, options);
  }

  async highlight(terms: Iterable<QueryTerm>, document: Fields | FieldsType): Promise<Highlights> {
    return highlightDocument(this.#snapshot.weighting, terms, document as Fields);
  }

  async encodeQueries(texts: Iterable<string>, options: WorkOptions = {}): Promise<Query[]> {
    checkWorkOptions("encodeQueries", options);
    return this.#backend.preparer.encodeQueries(this.#snapshot, checkTexts("texts", texts), options);
  }

  async has(id: string): Promise<boolean> {
    checkId(id);
    return this.#backend.has(id);
  }

  async document(id: string): Promise<FieldsType> {
    checkId(id);
    return (await this.#backend.documents([id]))[0] as FieldsType;
  }

  async documents(ids: Iterable<string>): Promise<FieldsType[]> {
    requireIterable("ids", "ids", ids);
    return (await this.#backend.documents(checkIds("ids", ids))) as FieldsType[];
  }

  /**
   * The passages of a document or a file, in the order of its text and as of one commit; the document itself if it was not cut.
   * Throws `ERR_SLUICE_NO_DOCUMENT` if there is neither.
   *
   * @example
   * ```ts
   * for (const { id, document } of await index.passages("docs/canals.md")) console.log(id, document.text);
   * ```
   */
  async passages(
    id: string,
    options: Pick<ListOptions<FieldsType>, "fields" | "limit" | "signal"> = {},
  ): Promise<DocumentList<FieldsType>["documents"]> {
    checkId(id);
    return (await this.#backend.passages(
      id,
      options as PassagesOptions,
    )) as DocumentList<FieldsType>["documents"];
  }

  async vector(id: string): Promise<Float32Array | undefined> {
    checkId(id);
    return this.#backend.vector(id);
  }

  async fields(): Promise<FieldInfo[]> {
    return this.#backend.fields();
  }

  info(): IndexInfo {
    return this.#backend.info();
  }

  get #snapshot(): Snapshot {
    return this.#backend.snapshot;
  }

  async #search(
    queries: readonly Query[],
    options: SearchOptions<FieldsType>,
    callName: string,
  ): Promise<Answer<FieldsType>[]> {
    return (await this.#backend.search(queries, options as SearchOptions, callName)) as Answer<FieldsType>[];
  }
}
