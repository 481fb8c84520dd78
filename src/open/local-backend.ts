// The backend of a folder or of memory: a live index with its writer, its encoder, and the threads and the GPU of searches.

import type { Fields, GivenDocuments } from "../documents/document.ts";
import type { Condition } from "../documents/filter.ts";
import type { Encoder } from "../encode/encoder.ts";
import { readStaticQueryFiles } from "../encode/static-query-files.ts";
import { addDocuments } from "../ingest/ingest.ts";
import type { LiveIndex } from "../ingest/live-index.ts";
import type { AddOptions } from "../ingest/options/add-options.ts";
import type { DeleteOptions } from "../ingest/options/delete-options.ts";
import type { AddCounts } from "../ingest/write/add-call.ts";
import type { Query } from "../query/ask/query.ts";
import { QueryPreparer } from "../query/prepare/query-preparer.ts";
import type { Explanation } from "../rank/explain.ts";
import type { KernelInfo } from "../scan/contract/kernel-options.ts";
import type { DeviceIndex } from "../scan/webgpu/device-index.ts";
import { explainDocument, explainQueryFor } from "../search/explain/explain-calls.ts";
import type { QueryExplanation } from "../search/explain/explain-query.ts";
import type { Answer } from "../search/hits/answer.ts";
import { createHits } from "../search/hits/hits.ts";
import type { SearchedIndex } from "../search/hits/searched-index.ts";
import {
  type DocumentList,
  type ListedDocument,
  type ListedIndex,
  listDocuments,
} from "../search/list/list-documents.ts";
import { listPassages } from "../search/list/list-passages.ts";
import type { ExplainOptions, ExplainQueryOptions } from "../search/options/explain-options.ts";
import type { ListOptions, PassagesOptions } from "../search/options/list-options.ts";
import type { SearchOptions } from "../search/options/search-options.ts";
import type { SuggestOptions } from "../search/options/suggest-options.ts";
import { searchIndex } from "../search/search.ts";
import { type Suggestion, suggestFor } from "../search/suggest/suggest.ts";
import { type BackupResult, backupFolder, type CopyResult, noFilesError } from "../store/backup/backup.ts";
import { describeFields, type FieldInfo } from "../store/snapshot/fields.ts";
import { describeIndex, type IndexInfo } from "../store/snapshot/index-info.ts";
import { requireDoc, requireDocs } from "../store/snapshot/require-doc.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import { type ExportOptions, type ExportResult, exportSnapshot } from "../store/web/web-export.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import type { SaveOptions } from "../support/options/save-options.ts";
import type { WorkOptions } from "../support/options/work-options.ts";
import type { IndexBackend } from "./index-backend.ts";
import type { IndexEncoder } from "./index-encoder.ts";
import type { IndexResources } from "./index-resources.ts";

/** @internal */
export class LocalBackend implements IndexBackend {
  readonly preparer: QueryPreparer;
  readonly #live: LiveIndex;
  readonly #encoder: IndexEncoder<Encoder>;
  readonly #resources: IndexResources;

  constructor(live: LiveIndex, encoder: IndexEncoder<Encoder>, resources: IndexResources) {
    this.#live = live;
    this.#encoder = encoder;
    this.preparer = new QueryPreparer(encoder);
    this.#resources = resources;
  }

  get location(): string | undefined {
    return this.#live.folder;
  }

  get writable(): boolean {
    return this.#live.writable;
  }

  get hasLock(): boolean {
    return this.#live.hasLock;
  }

  get snapshot(): Snapshot {
    return this.#live.snapshot;
  }

  get device(): DeviceIndex | undefined {
    return this.#resources.device;
  }

  get kernel(): KernelInfo {
    return this.#resources.kernel;
  }

  add(documents: GivenDocuments, options: AddOptions & { upsert: boolean }): Promise<AddCounts> {
    return addDocuments(this.#live, (record) => this.#encoder.openFor(record), documents, options);
  }

  lock(): Promise<void> {
    return this.#live.lock();
  }

  delete(ids: Iterable<string>, options: DeleteOptions): Promise<number> {
    return this.#live.delete(ids, options);
  }

  deleteMatching(condition: Condition, signal?: AbortSignal): Promise<number> {
    return this.#live.deleteMatching(condition, signal);
  }

  setLambda(lambda: number): Promise<void> {
    return this.#live.setLambda(lambda);
  }

  commit(options: WorkOptions): Promise<void> {
    return this.#live.commit(options);
  }

  rollback(): Promise<void> {
    return this.#live.rollback();
  }

  optimize(options: WorkOptions): Promise<void> {
    return this.#live.optimize(options);
  }

  idle(): Promise<void> {
    return this.#live.idle();
  }

  refresh(): Promise<boolean> {
    return this.#live.refresh();
  }

  async checkFiles(): Promise<void> {
    this.#live.checkFiles();
  }

  info(): IndexInfo {
    return describeIndex(this.snapshot, this.#live.diskBytes());
  }

  search(queries: readonly Query[], options: SearchOptions, callName: string): Promise<Answer[]> {
    return this.#readCurrent((index) => searchIndex(index, queries, options, callName));
  }

  explain(query: Query, id: string, options: ExplainOptions): Promise<Explanation> {
    return this.#readCurrent((index) => explainDocument(index, query, id, options));
  }

  explainQuery(query: Query, options: ExplainQueryOptions): Promise<QueryExplanation> {
    return this.#readCurrent((index) => explainQueryFor(index, query, options));
  }

  suggest(text: string, options: SuggestOptions): Promise<Suggestion[]> {
    return this.#readCurrent((index) => suggestFor(index, text, options));
  }

  async has(id: string): Promise<boolean> {
    return this.snapshot.docOf(id) !== undefined;
  }

  async documents(ids: readonly string[]): Promise<Fields[]> {
    const { snapshot } = this;
    return requireDocs(snapshot, ids).map((doc) => snapshot.document(doc));
  }

  vector(id: string): Promise<Float32Array | undefined> {
    return this.#readCurrent(({ snapshot }) => snapshot.readVector(requireDoc(snapshot, id)));
  }

  fields(): Promise<FieldInfo[]> {
    return this.#readCurrent(({ snapshot }) => describeFields(snapshot));
  }

  async listIds(): Promise<readonly string[]> {
    return this.snapshot.ids;
  }

  list(options: ListOptions): Promise<DocumentList> {
    return this.#readCurrent((index) => listDocuments(index, options));
  }

  passages(id: string, options: PassagesOptions): Promise<readonly ListedDocument[]> {
    return this.#readCurrent((index) => listPassages(index, id, options));
  }

  async save(folder: string, options: SaveOptions): Promise<CopyResult> {
    if (this.location === undefined) return this.#live.saveTo(folder, options);
    throw new SluiceError(
      `${folder}: save writes an index in memory; this one is in a folder already`,
      "backup(folder) copies an index of a folder into another, save(address) to a cluster",
    );
  }

  async backup(folder: string, options: WorkOptions): Promise<BackupResult> {
    this.#live.checkFiles();
    if (this.location === undefined) throw noFilesError();
    return backupFolder(this.location, folder, options);
  }

  exportWeb(folder: string, options: ExportOptions): Promise<ExportResult> {
    return this.#readCurrent(({ snapshot }) =>
      exportSnapshot(snapshot, folder, readStaticQueryFiles, options),
    );
  }

  async close(): Promise<void> {
    // Whatever fails, the writer's lock must be given back.
    try {
      await this.#encoder.close();
      await this.#resources.close();
    } finally {
      await this.#live.close();
    }
  }

  /** Reads from the current snapshot, which stays open meanwhile. */
  async #readCurrent<T>(read: (index: SearchedIndex & ListedIndex) => Promise<T>): Promise<T> {
    const snapshot = this.snapshot.retain();
    try {
      return await read({
        snapshot,
        preparer: this.preparer,
        resources: this.#resources,
        createHits,
        fieldsOf: async (docNumbers) => docNumbers.map((doc) => snapshot.document(doc)),
      });
    } finally {
      snapshot.release();
    }
  }
}
