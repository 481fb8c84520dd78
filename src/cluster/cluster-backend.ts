// An index on an OpenSearch cluster, as `Sluice` asks it. Rows and queries are made here, as for a folder; the cluster keeps
// documents and finds candidates.

import type { Fields, GivenDocuments } from "../documents/document.ts";
import type { Condition } from "../documents/filter.ts";
import { noDocumentError } from "../documents/no-document.ts";
import type { Encoder } from "../encode/encoder.ts";
import { addDocuments } from "../ingest/ingest.ts";
import type { AddOptions } from "../ingest/options/add-options.ts";
import type { DeleteOptions } from "../ingest/options/delete-options.ts";
import type { AddCounts } from "../ingest/write/add-call.ts";
import type { IndexBackend } from "../open/index-backend.ts";
import type { IndexEncoder } from "../open/index-encoder.ts";
import type { IndexResources } from "../open/index-resources.ts";
import { isClusterAddress } from "../open/location.ts";
import { hasDemands } from "../query/ask/clause.ts";
import type { Query } from "../query/ask/query.ts";
import { QueryPreparer } from "../query/prepare/query-preparer.ts";
import type { Explanation } from "../rank/explain.ts";
import type { KernelInfo } from "../scan/contract/kernel-options.ts";
import { checkExplain, explainQueryFor, explainStoredDocument } from "../search/explain/explain-calls.ts";
import type { QueryExplanation } from "../search/explain/explain-query.ts";
import type { Answer, Hit } from "../search/hits/answer.ts";
import type { SearchedIndex } from "../search/hits/searched-index.ts";
import type { DocumentList, ListedDocument } from "../search/list/list-documents.ts";
import type { ExplainOptions, ExplainQueryOptions } from "../search/options/explain-options.ts";
import type { ListOptions, PassagesOptions } from "../search/options/list-options.ts";
import { SEARCH_OPTIONS, type SearchOptions } from "../search/options/search-options.ts";
import type { SuggestOptions } from "../search/options/suggest-options.ts";
import { searchIndex } from "../search/search.ts";
import { type Suggestion, suggestFor } from "../search/suggest/suggest.ts";
import { type BackupResult, type CopyResult, noFilesError } from "../store/backup/backup.ts";
import type { FieldInfo } from "../store/snapshot/fields.ts";
import { describeIndex, type IndexInfo } from "../store/snapshot/index-info.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import type { VerifyResult } from "../store/verify/verify.ts";
import type { ExportResult } from "../store/web/web-export.ts";
import { closedError, openedReadOnlyError } from "../support/errors/index-errors.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { toFloat32s } from "../support/numbers/float16.ts";
import { checkOptions, isObject } from "../support/options/options.ts";
import type { SaveOptions } from "../support/options/save-options.ts";
import type { WorkOptions } from "../support/options/work-options.ts";
import { WorkQueue } from "../support/work/work-queue.ts";
import { refuseSearchOptions } from "./cluster-limits.ts";
import type { FoundVersion } from "./commit/cluster-documents.ts";
import type { ClusterIndex, ClusterView } from "./commit/cluster-index.ts";
import { ClusterError } from "./connect/connection.ts";
import { toRow, unpackStoredRow } from "./rows/stored-row.ts";
import { describeClusterFields } from "./search/cluster-fields.ts";
import { createLikeReader } from "./search/cluster-like.ts";
import { listOnCluster, listPassagesOnCluster } from "./search/cluster-list.ts";
import { type ClusterScored, rankOnCluster } from "./search/cluster-ranking.ts";
import { pullInto } from "./transfer/pull.ts";
import { verifyOnCluster } from "./verify-cluster.ts";
import { ClusterWriter, type ClusterWriterOptions } from "./write/cluster-writer.ts";
import { optimizeOnCluster } from "./write/optimize-cluster.ts";

interface ClusterBackendOptions extends ClusterWriterOptions {
  readonly readOnly?: boolean | undefined;
}

/** @internal */
export class ClusterBackend implements IndexBackend {
  readonly preparer: QueryPreparer;
  readonly device = undefined;
  readonly queue = new WorkQueue();
  readonly #index: ClusterIndex;
  readonly #encoder: IndexEncoder<Encoder>;
  readonly #resources: IndexResources;
  readonly #options: ClusterBackendOptions;
  #writer: ClusterWriter | undefined;
  /** Whether the next commit replaces the index that is there. False after the first commit. */
  #replaces: boolean;
  #isClosed = false;

  constructor(
    index: ClusterIndex,
    encoder: IndexEncoder<Encoder>,
    resources: IndexResources,
    options: ClusterBackendOptions,
  ) {
    this.#index = index;
    this.#encoder = encoder;
    this.preparer = new QueryPreparer(encoder);
    this.#resources = resources;
    this.#options = options;
    this.#replaces = options.overwrite ?? false;
  }

  get location(): string {
    return this.#index.connection.address.text;
  }

  get writable(): boolean {
    return !this.#options.readOnly;
  }

  /** A cluster has no lock: the first of two writers to commit wins. */
  get hasLock(): boolean {
    return false;
  }

  get snapshot(): Snapshot {
    this.#requireOpen();
    return this.#index.snapshot;
  }

  get kernel(): KernelInfo {
    return { name: "opensearch", reason: "the index is on a cluster" };
  }

  add(documents: GivenDocuments, options: AddOptions & { upsert: boolean }): Promise<AddCounts> {
    return addDocuments(this, (record) => this.#encoder.openFor(record), documents, options);
  }

  async lock(): Promise<void> {
    this.#requireWritable();
  }

  delete(ids: Iterable<string>, options: DeleteOptions): Promise<number> {
    return this.change((writer) => writer.delete([...ids], options));
  }

  deleteMatching(condition: Condition, signal?: AbortSignal): Promise<number> {
    return this.change((writer) => writer.deleteMatching(condition, signal));
  }

  setLambda(lambda: number): Promise<void> {
    return this.change(async (writer) => writer.setLambda(lambda));
  }

  /** Makes a change by the writer, when all changes before it are made. */
  change<T>(work: (writer: ClusterWriter) => Promise<T>): Promise<T> {
    return this.queue.run(async () => work(await this.#openWriter()));
  }

  commit(options: WorkOptions): Promise<void> {
    return this.queue.run(async () => {
      options.signal?.throwIfAborted();
      const writer = await this.#openWriter();
      await writer.commit(options);
      this.#replaces = false;
      this.#writer = undefined; // the next one begins with the newest commit, which may be another writer's
    });
  }

  rollback(): Promise<void> {
    return this.queue.run(async () => {
      this.#writer = undefined;
    });
  }

  async optimize(options: WorkOptions): Promise<void> {
    await this.commit(options);
    await this.queue.run(() => optimizeOnCluster(this.#index, options));
  }

  async idle(): Promise<void> {}

  refresh(): Promise<boolean> {
    return this.queue.run(async () => {
      this.#requireOpen();
      // Pending changes belong to the commit that is known: moving on would lose them.
      return this.#writer === undefined && !this.#replaces && (await this.#index.refresh());
    });
  }

  async checkFiles(): Promise<void> {
    this.#requireOpen();
    const { record, connection } = this.#index.view;
    if (record?.documents === undefined) return;
    await connection.ask({ method: "HEAD", path: `/${record.documents}` });
  }

  info(): IndexInfo {
    return describeIndex(this.snapshot, undefined);
  }

  async search(queries: readonly Query[], options: SearchOptions, callName: string): Promise<Answer[]> {
    checkOptions(options, SEARCH_OPTIONS, callName);
    refuseSearchOptions(options);
    for (const query of queries) refuseDemands(query);
    return this.#readCurrent((view) => searchIndex(this.#searched(view), queries, options, callName));
  }

  explain(query: Query, id: string, options: ExplainOptions): Promise<Explanation> {
    checkExplain(query, id, options);
    refuseDemands(query);
    const refused = options.boosts?.length ? "boosts" : options.fieldWeights ? "fieldWeights" : undefined;
    if (refused)
      throw new SluiceError(`an index on a cluster does not take the option ${refused}`, "leave it out");
    return this.#readCurrent(async (view) => {
      const version = await findOne(view, id, options.signal);
      const stored = unpackStoredRow(version.row, view.shape);
      const row = { ...toRow(stored), semantic: stored.vector };
      const list = stored.factors.length > 0 ? toFloat32s(stored.factors) : undefined;
      const explained = { id, document: version.document, row, factors: list };
      return explainStoredDocument(this.#searched(view), query, explained, options);
    });
  }

  explainQuery(query: Query, options: ExplainQueryOptions): Promise<QueryExplanation> {
    return this.#readCurrent((view) => explainQueryFor(this.#searched(view), query, options));
  }

  suggest(text: string, options: SuggestOptions): Promise<Suggestion[]> {
    return this.#readCurrent((view) => suggestFor(this.#searched(view), text, options));
  }

  has(id: string): Promise<boolean> {
    return this.#readCurrent(async (view) => (await view.find([id])).has(id));
  }

  documents(ids: readonly string[]): Promise<Fields[]> {
    return this.#readCurrent(async (view) => {
      const versions = await view.find([...new Set(ids)]);
      const missing = ids.filter((id) => !versions.has(id));
      if (missing.length > 0) throw noDocumentError(...missing);
      return ids.map((id) => versions.get(id)!.document);
    });
  }

  vector(id: string): Promise<Float32Array | undefined> {
    return this.#readCurrent(async (view) => {
      const { vector } = unpackStoredRow((await findOne(view, id)).row, view.shape);
      return vector.length === 0 ? undefined : toFloat32s(vector);
    });
  }

  fields(): Promise<FieldInfo[]> {
    return this.#readCurrent(describeClusterFields);
  }

  listIds(): Promise<readonly string[]> {
    return this.#readCurrent(async ({ documents, record }) => {
      const ids: string[] = [];
      if (documents) for await (const { id } of documents.readAll(record!)) ids.push(id);
      return ids;
    });
  }

  list(options: ListOptions): Promise<DocumentList> {
    return this.#readCurrent((view) => listOnCluster(view, options));
  }

  passages(id: string, options: PassagesOptions): Promise<readonly ListedDocument[]> {
    return this.#readCurrent((view) => listPassagesOnCluster(view, id, options));
  }

  save(location: string, options: SaveOptions): Promise<CopyResult> {
    const { overwrite = false, ...work } = options;
    if (isClusterAddress(location))
      throw new SluiceError(
        `${location}: an index on a cluster is not copied to another`,
        "save(folder) copies it into a folder, and save(address) of that one to the other cluster",
      );
    return this.#readCurrent((view) => pullInto(location, view, { overwrite, ...work }));
  }

  async backup(): Promise<BackupResult> {
    throw noFilesError();
  }

  async exportWeb(): Promise<ExportResult> {
    throw new SluiceError(
      `${this.location}: an index on a cluster cannot be exported`,
      "save(folder) copies it into a folder; open that, and call its exportWeb",
    );
  }

  /** Reads every document, and collects what is damaged. */
  verify(options: WorkOptions): Promise<VerifyResult> {
    return this.#readCurrent((view) => verifyOnCluster(view, options));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.queue.run(async () => {
      this.#writer = undefined;
    });
    try {
      await this.#encoder.close();
      await this.#resources.close();
    } finally {
      await this.#index.connection.close();
    }
  }

  #requireWritable(): void {
    this.#requireOpen();
    if (this.#options.readOnly) throw openedReadOnlyError(this.location);
  }

  async #openWriter(): Promise<ClusterWriter> {
    this.#requireWritable();
    if (this.#writer) return this.#writer;
    if (!this.#replaces) await this.#index.refresh();
    this.#writer = new ClusterWriter(this.#index, { ...this.#options, overwrite: this.#replaces });
    return this.#writer;
  }

  #searched(view: ClusterView): SearchedIndex {
    return {
      snapshot: view.snapshot,
      preparer: this.preparer,
      likeReader: createLikeReader(view),
      resources: this.#resources,
      rankRemotely: (requests, conditions, turns) => rankOnCluster(view, requests, conditions, turns),
      createHits: async (_, rankings) =>
        rankings.map((ranked) => (ranked as readonly ClusterScored[]).map(createHit)),
    };
  }

  /** Reads from the current commit. If another writer has moved the documents, reads from the newest commit. */
  async #readCurrent<T>(work: (view: ClusterView) => Promise<T>): Promise<T> {
    this.#requireOpen();
    try {
      return await work(this.#index.view);
    } catch (error) {
      const isMoved = error instanceof ClusterError && error.status === 404;
      if (!isMoved || !(await this.refresh())) throw error;
      return work(this.#index.view);
    }
  }

  #requireOpen(): void {
    if (this.#isClosed) throw closedError(this.location);
  }
}

function createHit({ id, score, lexical, semantic, document }: ClusterScored): Hit {
  return { id, score, lexical, semantic, document };
}

/** Demands need the documents of segments, and positions, which a cluster does not have. */
function refuseDemands(query: Query): void {
  if (!isObject(query) || !hasDemands(query)) return;
  throw new SluiceError(
    "an index on a cluster does not take must, mustNot and prefer in a query",
    "leave them out, or pull the index into a folder",
  );
}

async function findOne(view: ClusterView, id: string, signal?: AbortSignal): Promise<FoundVersion> {
  const found = (await view.find([id], signal)).get(id);
  if (found) return found;
  throw noDocumentError(id);
}
