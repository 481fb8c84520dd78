// An index and the options of a search → what is the same for all of its queries: which documents may be hits, what ranks them, and
// with which weights.

import { checkBoosts } from "../documents/boost.ts";
import { type Condition, checkFilter } from "../documents/filter.ts";
import type { QueryPreparer } from "../query/query-preparer.ts";
import type { EngineRequest } from "../query/stage-plan.ts";
import type { ScoredDoc } from "../rank/best-documents.ts";
import type { Ranking } from "../rank/ranking.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import { checkedIds } from "../support/options/options.ts";
import type { Turns } from "../support/work/turns.ts";
import type { Hit } from "./hits/answer.ts";
import { fieldsNeeded } from "./options/answer-options.ts";
import type { PairScorer, RerankOptions } from "./options/rerank-options.ts";
import type { SearchOptions } from "./options/search-options.ts";
import { searchedWeights } from "./score/reweighed.ts";
import { type SearchResources, type SnapshotOptions, searchSnapshot } from "./score/search-snapshot.ts";

/** @internal What a search needs of an index. */
export interface SearchedIndex {
  readonly snapshot: Snapshot;
  readonly preparer: QueryPreparer;
  readonly runtime: {
    /** Opens what a search needs. The first call may start threads. */
    openResources(): SearchResources;
    /** The cross-encoder that was given, or that of a folder. */
    rerankerFor(model: RerankOptions["model"]): Promise<PairScorer>;
  };
  /** Ranks documents that are in no segment of this process. By default the segments of the snapshot are searched. */
  rank?(requests: readonly EngineRequest[], where: RankedWhere): Promise<Ranking[]>;
  /** The hits of each ranking. */
  hitsOf(snapshot: Snapshot, rankings: readonly (readonly ScoredDoc[])[], turns: Turns): Promise<Hit[][]>;
  /** Throws if the index lacks a field that a filter or a boost needs. */
  checkCondition?(condition: Condition): void;
}

/** @internal Which documents may be hits, for an index that ranks them elsewhere. */
export interface RankedWhere extends Pick<SnapshotOptions, "condition" | "offset" | "turns"> {
  /** Ids of documents that must not be hits. */
  readonly excludedIds?: readonly string[];
}

/** @internal What is the same for all queries of a search. */
export interface SearchContext extends Pick<SearchedIndex, "snapshot" | "preparer"> {
  readonly resources: SearchResources;
  readonly rank: (
    requests: readonly EngineRequest[],
    where: SnapshotOptions & RankedWhere,
  ) => Promise<Ranking[]>;
  readonly options: SearchOptions;
  readonly lambda: number;
  /** Which documents may be hits, and what they are searched with. */
  readonly where: SnapshotOptions & RankedWhere;
  readonly turns: Turns;
  /** Weights of text fields, if they are not those of the index. Then there is one query at a time. */
  readonly weights: readonly number[] | undefined;
  /** What an answer must say about the operators of its query. */
  readonly notice?: string | undefined;
}

/** @internal The context of queries that have the same options. */
export function contextOf(index: SearchedIndex, options: SearchOptions, turns: Turns): SearchContext {
  const { snapshot, preparer } = index;
  const resources = index.runtime.openResources();
  const { offset = 0, filter, boosts: given = [], lambda = snapshot.lambda } = options;
  const excludedIds = checkedIds("exclude", options.exclude ?? []);
  const condition = filter && checkFilter(filter);
  if (condition) index.checkCondition?.(condition);
  for (const { field } of fieldsNeeded(options)) index.checkCondition?.({ kind: "exists", field });
  // One time for the whole search, so that all documents decay from the same origin.
  const boosts = given.length > 0 ? checkBoosts(given, Date.now()) : undefined;
  for (const { field } of boosts ?? []) index.checkCondition?.({ kind: "exists", field });
  const excludedDocs = new Set<number>();
  for (const id of excludedIds) {
    const doc = snapshot.docOf(id);
    if (doc !== undefined) excludedDocs.add(doc);
  }
  const where = {
    offset,
    excludedDocs,
    excludedIds,
    turns,
    boosts,
    ...(condition && { condition }),
    ...resources,
  };
  const rank = rankerOf(index);
  const weights = searchedWeights(snapshot, options.fieldWeights);
  return { snapshot, preparer, resources, rank, options, lambda, where, turns, weights };
}

/** @internal What ranks the documents of an index. */
export function rankerOf(index: Pick<SearchedIndex, "snapshot" | "rank">): SearchContext["rank"] {
  const { snapshot } = index;
  return (requests, where) => index.rank?.(requests, where) ?? searchSnapshot(snapshot, requests, where);
}
