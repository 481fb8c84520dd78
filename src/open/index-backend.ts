// The contract between `Sluice` and the backend of an index: a folder, memory, or an OpenSearch cluster. `Sluice` checks ids, λ and
// the options of changes. What a backend calls checks the options of search, explain, suggest, list, backup and exportWeb, and the
// id that is explained.
// test/backends.test.ts asks the same of all backends.
//
// Rules that hold for each backend:
// - Changes are visible after `commit`, all of them at once, and to no reader before. A commit that failed is not there.
// - `add` takes all documents of a call, or none.
// - The same documents, added in the same order with the same commits, give the same hits with the same scores.
// - An answer that may lack a better document says `exact: false`.

import type { Fields, GivenDocuments } from "../documents/document.ts";
import type { Condition } from "../documents/filter.ts";
import type { AddOptions } from "../ingest/options/add-options.ts";
import type { DeleteOptions } from "../ingest/options/delete-options.ts";
import type { AddCounts } from "../ingest/write/add-call.ts";
import type { Query } from "../query/ask/query.ts";
import type { QueryPreparer } from "../query/prepare/query-preparer.ts";
import type { Explanation } from "../rank/explain.ts";
import type { KernelInfo } from "../scan/contract/kernel-options.ts";
import type { DeviceIndex } from "../scan/webgpu/device-index.ts";
import type { QueryExplanation } from "../search/explain/explain-query.ts";
import type { Answer } from "../search/hits/answer.ts";
import type { DocumentList, ListedDocument } from "../search/list/list-documents.ts";
import type { ExplainOptions, ExplainQueryOptions } from "../search/options/explain-options.ts";
import type { ListOptions, PassagesOptions } from "../search/options/list-options.ts";
import type { SearchOptions } from "../search/options/search-options.ts";
import type { SuggestOptions } from "../search/options/suggest-options.ts";
import type { Suggestion } from "../search/suggest/suggest.ts";
import type { BackupResult, CopyResult } from "../store/backup/backup.ts";
import type { FieldInfo } from "../store/snapshot/fields.ts";
import type { IndexInfo } from "../store/snapshot/index-info.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import type { ExportOptions, ExportResult } from "../store/web/web-export.ts";
import type { SaveOptions } from "../support/options/save-options.ts";
import type { WorkOptions } from "../support/options/work-options.ts";

/** What changes an index. */
interface WritableIndex {
  readonly writable: boolean;
  /** Whether it keeps other writers out. */
  readonly hasLock: boolean;
  /** Keeps other writers out from now on, if the backend can. */
  lock(): Promise<void>;
  /** Adds all documents, or none. Returns what it changed. */
  add(documents: GivenDocuments, options: AddOptions & { upsert: boolean }): Promise<AddCounts>;
  /** With `withPassages`, deletes the passages of the documents with these ids, too. Returns how many were deleted. */
  delete(ids: Iterable<string>, options: DeleteOptions): Promise<number>;
  /** Deletes the documents that a condition accepts, uncommitted ones included. Returns how many were deleted. */
  deleteMatching(condition: Condition, signal?: AbortSignal): Promise<number>;
  setLambda(lambda: number): Promise<void>;
  commit(options: WorkOptions): Promise<void>;
  rollback(): Promise<void>;
  optimize(options: WorkOptions): Promise<void>;
  /** Waits until nothing runs in the background. */
  idle(): Promise<void>;
}

/** What reads an index as of the last commit that it knows. */
interface ReadableIndex {
  /** How rows and queries are made. Its segments are those that this process holds: none, if a cluster has the rows. */
  readonly snapshot: Snapshot;
  readonly preparer: QueryPreparer;
  readonly device: DeviceIndex | undefined;
  readonly kernel: KernelInfo;
  /** Moves on to the newest commit of any process. Returns whether there was a newer one. */
  refresh(): Promise<boolean>;
  /** Throws if the index was closed, or cannot be read. */
  checkFiles(): Promise<void>;
  info(): IndexInfo;
  search(queries: readonly Query[], options: SearchOptions, callName: string): Promise<Answer[]>;
  explain(query: Query, id: string, options: ExplainOptions): Promise<Explanation>;
  explainQuery(query: Query, options: ExplainQueryOptions): Promise<QueryExplanation>;
  suggest(text: string, options: SuggestOptions): Promise<Suggestion[]>;
  has(id: string): Promise<boolean>;
  documents(ids: readonly string[]): Promise<Fields[]>;
  vector(id: string): Promise<Float32Array | undefined>;
  fields(): Promise<FieldInfo[]>;
  /** The ids of all documents, in the order in which they were added. */
  listIds(): Promise<readonly string[]>;
  list(options: ListOptions): Promise<DocumentList>;
  /** The passages of a document, in the order of its text; itself, if it was not cut. */
  passages(id: string, options: PassagesOptions): Promise<readonly ListedDocument[]>;
}

/** @internal What keeps an index. */
export interface IndexBackend extends WritableIndex, ReadableIndex {
  /** Where the index is: a folder, or the address of a cluster; undefined in memory. */
  readonly location: string | undefined;
  /** Writes the last commit into a folder. */
  save(folder: string, options: SaveOptions): Promise<CopyResult>;
  /** Copies the files of the last commit into a folder, and checks the copy. Throws if the index has no files. */
  backup(folder: string, options: WorkOptions): Promise<BackupResult>;
  exportWeb(folder: string, options: ExportOptions): Promise<ExportResult>;
  /** Forgets uncommitted changes, and frees what the index holds. */
  close(): Promise<void>;
}
