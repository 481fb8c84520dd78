// The scope of a search, as its caller gave it: which documents may be hits, the boosts, and the threads, GPU and memory that it
// uses. `ranking-input.ts` finds out what that means in each segment.

import type { CheckedBoost } from "../../documents/boost.ts";
import type { Condition } from "../../documents/filter.ts";
import type { SearchResources } from "../../scan/search-resources.ts";
import type { Turns } from "../../support/work/turns.ts";

/** @internal The scope of a search in an index that ranks its documents elsewhere. */
export interface RemoteScope {
  /** The filter that documents must pass. */
  readonly condition?: Condition | undefined;
  /** Ids of documents that must not be hits. */
  readonly excludedIds?: readonly string[] | undefined;
  /** How many of the best hits to skip, for the next page. */
  readonly offset?: number | undefined;
  /** Lets the search pause for other work, and stops it on an abort. */
  readonly turns?: Turns | undefined;
}

export interface SearchScope extends RemoteScope {
  readonly resources: SearchResources;
  /** Documents that must not be hits: those of `excludedIds` that are there. */
  readonly excludedDocs?: ReadonlySet<number> | undefined;
  /** What fields of documents add to scores. */
  readonly boosts?: readonly CheckedBoost[] | undefined;
}
