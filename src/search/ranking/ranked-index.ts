// An index, as far as a ranking needs it: in memory, in a folder, in a page or on a cluster.

import type { Condition } from "../../documents/filter.ts";
import type { EngineRequest } from "../../query/plan/stage-plan.ts";
import type { QueryPreparer } from "../../query/prepare/query-preparer.ts";
import type { Ranking } from "../../rank/ranking.ts";
import type { SearchResources } from "../../scan/search-resources.ts";
import type { Turns } from "../../support/work/turns.ts";
import type { NarrowedIndex } from "../demands/narrow.ts";

/** @internal Which documents may be hits, by their fields and ids. */
export interface HitConditions {
  /** The filter that documents must pass. Undefined: there is none. */
  readonly condition: Condition | undefined;
  /** Ids of documents that must not be hits. */
  readonly excludedIds: readonly string[];
}

/** @internal What a ranking needs of an index. */
export interface RankedIndex extends NarrowedIndex {
  readonly preparer: QueryPreparer;
  readonly resources: {
    /** Opens the resources of one search. The first call may start threads. */
    takeSearchResources(): SearchResources;
  };
  /** Ranks documents that are in no segment of this process. By default the segments of the snapshot are ranked. */
  rankRemotely?(
    requests: readonly EngineRequest[],
    conditions: HitConditions,
    turns: Turns,
  ): Promise<Ranking[]>;
  /** Throws if the index lacks a field that a filter or a boost needs. */
  checkCondition?(condition: Condition): void;
}
