// The backend of a folder or of memory: a live index with its writer, the encoder of queries, and the threads and GPU for searches.

import type { Fields, GivenDocuments } from "../documents/document.ts";
import type { Condition } from "../documents/filter.ts";
import type { Encoder } from "../encode/encoder.ts";
import { readStaticQueryFiles } from "../encode/static-query-files.ts";
import { addDocuments } from "../ingest/ingest.ts";
import type { LiveIndex } from "../ingest/live-index.ts";
import type { AddOptions } from "../ingest/options/add-options.ts";
import type { DeleteOptions } from "../ingest/options/delete-options.ts";
import type { AddCounts } from "../ingest/write/writer.ts";
import type { Query } from "../query/ask/query.ts";
import type { QueryPreparer } from "../query/prepare/query-preparer.ts";
import type { Explanation } from "../rank/explain.ts";
import type { KernelInfo } from "../scan/contract/kernel-options.ts";
import type { DeviceIndex } from "../scan/webgpu/device-index.ts";
import { explainDocument, explainQueryFor } from "../search/explain/explain-calls.ts";
import type { QueryExplanation } from "../search/explain/explain-query.ts";
import type { Answer } from "../search/hits/answer.ts";
import { createHits } from "../search/hits/hits.ts";
import {
  type DocumentList,
  type ListedDocument,
  type ListedIndex,
  listDocuments,
} from "../search/list-documents.ts";
import { listPassages } from "../search/list-passages.ts";
import type { ExplainOptions, ExplainQueryOptions } from "../search/options/explain-options.ts";
import type { ListOptions, PassagesOptions } from "../search/options/list-options.ts";
import type { SearchOptions } from "../search/options/search-options.ts";
import type { SuggestOptions } from "../search/options/suggest-options.ts";
import { searchIndex } from "../search/search.ts";
import type { SearchedIndex } from "../search/searched-index.ts";
import { type Suggestion, suggestFor } from "../search/suggest.ts";
import { type Backup, backupFolder, type Copy, noFilesError } from "../store/backup/backup.ts";
import { describeFields, type FieldInfo } from "../store/snapshot/fields.ts";
import { describeIndex, type IndexInfo } from "../store/snapshot/index-info.ts";
import { requireDoc, requireDocs } from "../store/snapshot/require-doc.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import { type Exported, type ExportOptions, exportSnapshot } from "../store/web/web-export.ts";
import { UsageError } from "../support/errors/usage-error.ts";
import type { SaveOptions } from "../support/options/save-options.ts";
import type { WorkOptions } from "../support/options/work-options.ts";
import type { IndexBackend } from "./index-backend.ts";
import type { IndexResources } from "./index-resources.ts";

/** @internal */
export class LocalBackend implements IndexBackend {
  readonly preparer: QueryPreparer<Encoder>;
  readonly #live: LiveIndex;
  readonly #resources: IndexResources;

  constructor(live: LiveIndex, preparer: QueryPreparer<Encoder>, resources: IndexResources) {
    this.#live = live;
    this.preparer = preparer;
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
    return addDocuments(this.#live, (record) => this.preparer.open(record), documents, options);
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
    return this.#readCurrent((snapshot) => searchIndex(this.#searched(snapshot), queries, options, callName));
  }

  explain(query: Query, id: string, options: ExplainOptions): Promise<Explanation> {
    return this.#readCurrent((snapshot) =>
      explainDocument({ snapshot, preparer: this.preparer }, query, id, options, (doc) =>
        snapshot.document(doc),
      ),
    );
  }

  explainQuery(query: Query, options: ExplainQueryOptions): Promise<QueryExplanation> {
    return this.#readCurrent((snapshot) =>
      explainQueryFor({ snapshot, preparer: this.preparer }, query, options),
    );
  }

  suggest(text: string, options: SuggestOptions): Promise<Suggestion[]> {
    return this.#readCurrent((snapshot) => suggestFor(this.#searched(snapshot), text, options));
  }

  async has(id: string): Promise<boolean> {
    return this.snapshot.docOf(id) !== undefined;
  }

  async documents(ids: readonly string[]): Promise<Fields[]> {
    const { snapshot } = this;
    return requireDocs(snapshot, ids).map((doc) => snapshot.document(doc));
  }

  vector(id: string): Promise<Float32Array | undefined> {
    return this.#readCurrent((snapshot) => snapshot.readVector(requireDoc(snapshot, id)));
  }

  fields(): Promise<FieldInfo[]> {
    return this.#readCurrent(describeFields);
  }

  async listIds(): Promise<readonly string[]> {
    return this.snapshot.ids;
  }

  list(options: ListOptions): Promise<DocumentList> {
    return this.#readCurrent((snapshot) => listDocuments(listedIn(snapshot), options));
  }

  passages(id: string, options: PassagesOptions): Promise<readonly ListedDocument[]> {
    return this.#readCurrent((snapshot) => listPassages(listedIn(snapshot), id, options));
  }

  async save(folder: string, options: SaveOptions): Promise<Copy> {
    if (this.location === undefined) return this.#live.saveTo(folder, options);
    throw new UsageError(
      `${folder}: save writes an index in memory; this one is in a folder already`,
      "backup(folder) copies an index of a folder into another, save(address) to a cluster",
    );
  }

  async backup(folder: string, options: WorkOptions): Promise<Backup> {
    this.#live.checkFiles();
    if (this.location === undefined) throw noFilesError();
    return backupFolder(this.location, folder, options);
  }

  exportWeb(folder: string, options: ExportOptions): Promise<Exported> {
    return this.#readCurrent((snapshot) => exportSnapshot(snapshot, folder, readStaticQueryFiles, options));
  }

  async close(): Promise<void> {
    // Whatever fails, the writer's lock must be given back.
    try {
      await this.preparer.close();
      await this.#resources.close();
    } finally {
      await this.#live.close();
    }
  }

  /** Reads from the current snapshot, which stays open meanwhile. */
  async #readCurrent<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const snapshot = this.snapshot.retain();
    try {
      return await work(snapshot);
    } finally {
      snapshot.release();
    }
  }

  #searched(snapshot: Snapshot): SearchedIndex {
    return { snapshot, preparer: this.preparer, resources: this.#resources, createHits };
  }
}

function listedIn(snapshot: Snapshot): ListedIndex {
  return { snapshot, fieldsOf: async (docs) => docs.map((doc) => snapshot.document(doc)) };
}
