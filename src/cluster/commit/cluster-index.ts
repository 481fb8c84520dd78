// An index on a cluster as this process sees it: the commit that it knows, with its terms and statistics, and where the documents
// are.

import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import { toSnapshotFacts } from "../../store/record/snapshot-facts.ts";
import { Snapshot } from "../../store/snapshot/snapshot.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { Connection } from "../connect/connection.ts";
import type { ClusterLayout, DocumentShape } from "../rows/cluster-mapping.ts";
import { ClusterDocuments, type FoundVersion } from "./cluster-documents.ts";
import { type ClusterLexicon, readLexicon } from "./cluster-lexicon.ts";
import {
  CLUSTER_VERSION,
  type ClusterRecord,
  type RecordVersion,
  readRecord,
  type Sequence,
} from "./cluster-record.ts";
import { createIndex, requireOwnMetas, requireOwnName } from "./own-indexes.ts";

interface ClusterIndexOptions {
  readonly shards?: number | undefined;
  readonly replicas?: number | undefined;
  /** The analyzer that the caller gives, which may be the caller's own. */
  readonly analyzer?: Analyzer | undefined;
  /** The snapshot of an index without a commit. */
  readonly empty: Snapshot;
}

/** How often reading begins again if the commit is replaced meanwhile. */
const MOST_TRIES = 10;

/** One commit, as a search or another call sees it from its beginning to its end. */
export class ClusterView {
  readonly connection: Connection;
  /** Undefined before the first commit. */
  readonly record: ClusterRecord | undefined;
  readonly snapshot: Snapshot;

  constructor(connection: Connection, record: ClusterRecord | undefined, snapshot: Snapshot) {
    this.connection = connection;
    this.record = record;
    this.snapshot = snapshot;
  }

  /** How documents are stored. */
  get shape(): DocumentShape {
    return documentShape(this.record!);
  }

  /** The documents of this commit; undefined if there are none. */
  get documents(): ClusterDocuments | undefined {
    const { documents } = this.record ?? {};
    return documents === undefined ? undefined : new ClusterDocuments(this.connection, documents);
  }

  /** The documents with these ids. */
  async find(ids: readonly string[], signal?: AbortSignal): Promise<Map<string, FoundVersion>> {
    return (await this.documents?.findByIds(ids, this.record!, signal)) ?? new Map();
  }

  /** The documents with these ids, and those with the ids of `cut` with all their passages. */
  async findWithPassages(ids: readonly string[], cut: readonly string[]): Promise<FoundVersion[]> {
    return (await this.documents?.findWithPassages(ids, cut, this.record!)) ?? [];
  }
}

export class ClusterIndex {
  readonly connection: Connection;
  readonly #options: ClusterIndexOptions;
  #view: ClusterView;
  /** The commit that the next one follows, even if it is to be replaced. */
  #newest: RecordVersion | undefined;
  #hasState = false;

  private constructor(connection: Connection, options: ClusterIndexOptions) {
    this.connection = connection;
    this.#options = options;
    this.#view = new ClusterView(connection, undefined, options.empty);
  }

  /**
   * Opens the newest commit. If there is none, the index is empty. Of a commit that is replaced, only the record is read. Throws if
   * an index that is not ours has the name.
   */
  static async open(
    connection: Connection,
    options: ClusterIndexOptions,
    isReplaced: boolean,
  ): Promise<ClusterIndex> {
    const index = new ClusterIndex(connection, options);
    if (isReplaced)
      index.#newest = await readRecord(connection); // its documents are not shown
    else await index.refresh();
    if (!index.record) await requireOwnName(connection);
    return index;
  }

  /** The commit that is known now. */
  get view(): ClusterView {
    return this.#view;
  }

  /** The record that the next one follows. */
  get record(): ClusterRecord | undefined {
    return this.#newest?.record;
  }

  /** The version of the record's document. */
  get sequence(): Sequence | undefined {
    return this.#newest?.sequence;
  }

  get snapshot(): Snapshot {
    return this.#view.snapshot;
  }

  /** Moves on to the newest commit. Returns whether there was a newer one. */
  async refresh(): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      const version = await readRecord(this.connection);
      if (!version || version.record.generation === this.record?.generation) return false;
      const { slicing } = this.record ? this.snapshot : {};
      try {
        const lexicon = await readLexicon(this.connection, version.record, this.#options.analyzer, slicing);
        if (version.record.documents !== this.record?.documents) await this.#checkMapping(version.record);
        this.advance(version, lexicon);
        return true;
      } catch (error) {
        // A later commit may have removed the terms while they were read.
        const now = await readRecord(this.connection);
        if (tries === MOST_TRIES || now?.record.generation === version.record.generation) throw error;
      }
    }
  }

  /** Shows a commit. */
  advance(version: RecordVersion, lexicon: ClusterLexicon): void {
    this.#view = new ClusterView(this.connection, version.record, createSnapshot(version.record, lexicon));
    this.#newest = version;
  }

  /** Creates the index that holds the commit record, if it is not there. */
  async createState(): Promise<void> {
    if (this.#hasState || this.record) return;
    const { name } = this.connection.address;
    const settings = { index: { number_of_shards: 1, auto_expand_replicas: "0-2" } };
    const mappings = { _meta: { sluice: CLUSTER_VERSION }, dynamic: false, properties: {} };
    await createIndex(this.connection, name, { settings, mappings }, (metas) => {
      requireOwnMetas(this.connection, metas);
      return true;
    });
    this.#hasState = true;
  }

  /** Shards and copies of a new index: as the options say, or one shard for each data node, and a copy if there are several. */
  async chooseLayout(): Promise<ClusterLayout> {
    const health = await this.connection.ask<{ number_of_data_nodes: number }>({
      method: "GET",
      path: "/_cluster/health",
    });
    const nodes = Math.max(1, health.number_of_data_nodes);
    const { shards = nodes, replicas = nodes > 1 ? 1 : 0 } = this.#options;
    return { shards, replicas };
  }

  /** Throws if the index of documents is not the one that the record describes. */
  async #checkMapping(record: ClusterRecord): Promise<void> {
    const { documents } = record;
    if (documents === undefined) return;
    const found = await this.connection.ask<Record<string, { mappings: { _meta?: Partial<DocumentShape> } }>>(
      {
        method: "GET",
        path: `/${documents}/_mapping`,
      },
    );
    const { _meta: meta } = found[documents]?.mappings ?? {};
    const shape = documentShape(record);
    for (const key of Object.keys(shape) as (keyof DocumentShape)[]) {
      if (meta?.[key] === shape[key]) continue;
      throw new SluiceError(
        `${this.connection.address.text}: the index ${documents} has ${key} ${meta?.[key]}, and the commit says ${shape[key]}`,
        "restore both indexes from the same backup, or build the index again",
        "ERR_SLUICE_DAMAGED",
      );
    }
  }
}

function documentShape({ settings, semanticDims = 0, weightScale }: ClusterRecord): DocumentShape {
  return { hasIndices: settings.strategy !== "full", semanticDims, weightScale };
}

/** A snapshot without segments: what queries need. */
function createSnapshot(record: ClusterRecord, { slicing, weighting }: ClusterLexicon): Snapshot {
  return new Snapshot({
    generation: record.generation,
    segments: [],
    ...toSnapshotFacts(record),
    docsElsewhere: record.docs,
    slicing: () => slicing,
    weighting: () => weighting,
    serialOf: () => undefined,
    documentWith(serial) {
      throw new Error(`document ${serial} is on the cluster`);
    },
    close() {},
  });
}
