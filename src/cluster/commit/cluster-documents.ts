// Versions of documents, read from the cluster: by id, by OpenSearch's own key, or all of a commit. A shard that does not answer
// is an error, never a shorter list.

import { ClusterError, type Connection } from "../connect/connection.ts";
import { type ClusterQuery, toClusterQuery } from "../rows/field-tokens.ts";
import type { Sequence } from "./cluster-record.ts";
import { type Visible, visibleFilter } from "./visibility.ts";

/** A version as it was found. */
export interface FoundVersion {
  readonly key: string;
  readonly id: string;
  readonly serial: number;
  readonly born: number;
  /** The generations of the writers that replaced or deleted it, committed or not. */
  readonly died: readonly number[];
  readonly row: Buffer;
  readonly document: Readonly<Record<string, unknown>>;
  readonly sequence: Sequence;
}

/** An answer of OpenSearch to a search. */
export interface ClusterHits {
  readonly hits: { readonly total?: { readonly value: number }; readonly hits: readonly ClusterHit[] };
  readonly pit_id?: string;
}

export interface ClusterHit {
  readonly _id: string;
  readonly _score: number | null;
  readonly _seq_no?: number;
  readonly _primary_term?: number;
  readonly _source?: { readonly document: Readonly<Record<string, unknown>> };
  readonly fields: {
    readonly id: readonly [string];
    readonly serial: readonly [number];
    readonly born: readonly [number];
    readonly died?: readonly number[];
    readonly row: readonly [string];
  };
  readonly sort?: readonly number[];
}

/** What a search returns of a version. A part of the source would come with its fields in another order. */
export const VERSION_FIELDS = {
  docvalue_fields: ["id", "serial", "born", "died", "row"],
  _source: true,
} as const;

/** Makes OpenSearch answer with an error if a shard does not answer. Without it, the answer has fewer documents. */
export const ALL_SHARDS = { allow_partial_search_results: false } as const;

/** How many ids are looked up at once. */
const LOOKED_UP_AT_ONCE = 1000;
/** How many documents a page of all documents has. More: fewer requests, more memory. */
const PAGE_DOCS = 500;
/** How long the cluster keeps a point in time after each page. */
const KEEP_ALIVE = "5m";
/** What OpenSearch says if a node came back without a point in time that it kept. */
const LOST_CONTEXT = "search_context_missing_exception";

export class ClusterDocuments {
  readonly #connection: Connection;
  readonly #index: string;

  constructor(connection: Connection, index: string) {
    this.#connection = connection;
    this.#index = index;
  }

  /** The visible versions of documents, by id. Ids that no document has are left out. */
  async findByIds(
    ids: readonly string[],
    visible: Visible,
    signal?: AbortSignal,
  ): Promise<Map<string, FoundVersion>> {
    const found = await this.#look(ids, (some) => [{ terms: { id: some } }, visibleFilter(visible)], signal);
    return new Map(found.map((version) => [version.id, version]));
  }

  /** The visible versions of documents with these ids, and of the passages of documents with the ids of `cut`. */
  async findWithPassages(
    ids: readonly string[],
    cut: readonly string[],
    visible: Visible,
  ): Promise<FoundVersion[]> {
    if (cut.length === 0) return [...(await this.findByIds(ids, visible)).values()];
    const passages = toClusterQuery({ kind: "in", field: "passage.of", values: new Set(cut) });
    const either = { bool: { should: [{ terms: { id: ids } }, passages], minimum_should_match: 1 } };
    const page = await this.#lookOnce([either, visibleFilter(visible)], LOOKED_UP_AT_ONCE);
    if (page.length < LOOKED_UP_AT_ONCE) return page;
    const found: FoundVersion[] = [];
    for await (const version of this.readAll(visible, 0, [either])) found.push(version);
    return found;
  }

  /** Versions by their keys, visible or not. They are found after a refresh. */
  async findByKeys(keys: readonly string[]): Promise<FoundVersion[]> {
    return this.#look(keys, (values) => [{ ids: { values } }]);
  }

  /** A version that may not be refreshed yet; undefined if there is none. */
  async readUnrefreshed(key: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const found = await this.#connection.askIfThere<ClusterHit>({
      method: "GET",
      path: `/${this.#index}/_doc/${key}`,
    });
    return found?._source?.document;
  }

  /** How many documents of a commit pass a filter. */
  async count(filter: readonly ClusterQuery[], signal?: AbortSignal): Promise<number> {
    // Not `_count`: it leaves out shards that do not answer, and cannot be told to refuse.
    const { hits } = await this.#connection.ask<ClusterHits>({
      method: "POST",
      path: `/${this.#index}/_search`,
      query: ALL_SHARDS,
      body: { size: 0, track_total_hits: true, query: { bool: { filter } } },
      signal,
    });
    return hits.total!.value;
  }

  /** The documents of a commit that pass a filter, or all, in the order in which they were added. */
  async *readAll(
    visible: Visible,
    after = 0,
    filter: readonly ClusterQuery[] = [],
    signal?: AbortSignal,
  ): AsyncGenerator<FoundVersion> {
    const body = {
      size: PAGE_DOCS,
      query: { bool: { filter: [visibleFilter(visible), { range: { serial: { gt: after } } }, ...filter] } },
      sort: [{ serial: "asc" }],
      ...VERSION_FIELDS,
      seq_no_primary_term: true,
    };
    for await (const hits of this.readPages(body, signal)) yield* hits.map(versionOf);
  }

  /** The pages of a long answer, which is as of one point in time. The body has a size and a sort. */
  async *readPages(
    body: { readonly size: number } & ClusterQuery,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly ClusterHit[]> {
    const connection = this.#connection;
    let pit = await this.#openPit(signal);
    try {
      for (let after: readonly number[] | undefined; ; ) {
        let page: ClusterHits = { hits: { hits: [] } };
        let lost: ClusterError;
        await connection.waitUntil(
          async () => {
            try {
              page = await connection.ask<ClusterHits>({
                method: "POST",
                path: "/_search",
                query: ALL_SHARDS,
                body: {
                  ...body,
                  pit: { id: pit, keep_alive: KEEP_ALIVE },
                  ...(after && { search_after: after }),
                },
                signal,
                isAskedOnce: true,
              });
              return true;
            } catch (error) {
              if (!isPitLost(error)) throw error;
              lost = error;
              // Another point in time is as good: the body says which commit is read.
              pit = await this.#openPit(signal);
              return false;
            }
          },
          () => lost,
        );
        pit = page.pit_id ?? pit;
        const { hits } = page.hits;
        if (hits.length > 0) yield hits;
        if (hits.length < body.size) return;
        after = hits.at(-1)!.sort;
      }
    } finally {
      await connection
        .ask({ method: "DELETE", path: "/_search/point_in_time", body: { pit_id: [pit] } })
        .catch(() => {}); // it ends by itself
    }
  }

  async #openPit(signal: AbortSignal | undefined): Promise<string> {
    const { pit_id } = await this.#connection.ask<{ pit_id: string }>({
      method: "POST",
      path: `/${this.#index}/_search/point_in_time`,
      query: { keep_alive: KEEP_ALIVE, allow_partial_pit_creation: false },
      signal,
    });
    return pit_id;
  }

  async #look(
    values: readonly string[],
    filterOf: (some: readonly string[]) => ClusterQuery[],
    signal?: AbortSignal,
  ): Promise<FoundVersion[]> {
    const found: FoundVersion[] = [];
    for (let from = 0; from < values.length; from += LOOKED_UP_AT_ONCE) {
      const some = values.slice(from, from + LOOKED_UP_AT_ONCE);
      found.push(...(await this.#lookOnce(filterOf(some), some.length, signal)));
    }
    return found;
  }

  /** At most `size` versions that pass a filter. */
  async #lookOnce(filter: ClusterQuery[], size: number, signal?: AbortSignal): Promise<FoundVersion[]> {
    const { hits } = await this.#connection.ask<ClusterHits>({
      method: "POST",
      path: `/${this.#index}/_search`,
      query: ALL_SHARDS,
      body: { size, query: { bool: { filter } }, ...VERSION_FIELDS, seq_no_primary_term: true },
      signal,
    });
    return hits.hits.map(versionOf);
  }
}

/** Whether a page did not come because a node that kept the point in time is away, or was. */
function isPitLost(error: unknown): error is ClusterError {
  return error instanceof ClusterError && (error.status >= 500 || error.type === LOST_CONTEXT);
}

function versionOf({ _id, _seq_no, _primary_term, _source, fields }: ClusterHit): FoundVersion {
  return {
    key: _id,
    id: fields.id[0],
    serial: fields.serial[0],
    born: fields.born[0],
    died: fields.died ?? [],
    row: Buffer.from(fields.row[0], "base64"),
    document: _source!.document,
    sequence: { if_seq_no: _seq_no!, if_primary_term: _primary_term! },
  };
}
