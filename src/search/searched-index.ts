// An index, as far as a search needs it: in memory, in a folder, in a page or on a cluster.

import type { Condition } from "../documents/filter.ts";
import type { EngineRequest } from "../query/plan/stage-plan.ts";
import type { QueryPreparer } from "../query/prepare/query-preparer.ts";
import type { ScoredDoc } from "../rank/best-documents.ts";
import type { Ranking } from "../rank/ranking.ts";
import type { SearchResources } from "../scan/search-resources.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import type { Turns } from "../support/work/turns.ts";
import type { NarrowedIndex } from "./demands/narrow.ts";
import type { Hit } from "./hits/answer.ts";
import type { PairScorer, RerankOptions } from "./options/rerank-options.ts";

/** @internal Which documents may be hits, by their fields and ids. */
export interface HitConditions {
  /** The filter that documents must pass. Undefined: there is none. */
  readonly condition: Condition | undefined;
  /** Ids of documents that must not be hits. */
  readonly excludedIds: readonly string[];
}

/** @internal What a search needs of an index. */
export interface SearchedIndex extends NarrowedIndex {
  readonly preparer: QueryPreparer;
  readonly resources: {
    /** Opens the resources of one search. The first call may start threads. */
    startForSearch(): SearchResources;
    /** Opens the cross-encoder of a folder, or returns the one that was given. */
    openCrossEncoder(model: RerankOptions["model"]): Promise<PairScorer>;
  };
  /** Ranks documents that are in no segment of this process. By default the segments of the snapshot are searched. */
  rankElsewhere?(
    requests: readonly EngineRequest[],
    conditions: HitConditions,
    turns: Turns,
  ): Promise<Ranking[]>;
  /** The hits of each ranking. */
  createHits(snapshot: Snapshot, rankings: readonly (readonly ScoredDoc[])[], turns: Turns): Promise<Hit[][]>;
  /** Throws if the index lacks a field that a filter or a boost needs. */
  checkCondition?(condition: Condition): void;
}
