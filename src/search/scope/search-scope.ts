// The scope of a search: the documents that may be hits, the additions to their scores, and the threads, GPU and memory that it
// uses.

import type { CheckedBoost } from "../../documents/boost.ts";
import type { Condition } from "../../documents/filter.ts";
import type { ScoreAdditions } from "../../scan/contract/score-additions.ts";
import type { Bits } from "../../support/numbers/bits.ts";
import type { Turns } from "../../support/work/turns.ts";
import type { SearchResources } from "./search-resources.ts";

/** Which documents may be hits. */
export interface HitConditions {
  /** Documents that must not be hits. */
  readonly excludedDocs?: ReadonlySet<number> | undefined;
  /** The filter that documents must pass. */
  readonly condition?: Condition | undefined;
  /** For each segment, the documents that meet the demands of the query. */
  readonly meetingDemands?: readonly Bits[];
}

/** What is added to the scores of documents. */
interface AddedScores {
  /** What fields of documents add. */
  readonly boosts?: readonly CheckedBoost[] | undefined;
  /** For each segment, what phrases add. */
  readonly phraseAdditions?: readonly ScoreAdditions[];
  /** For each segment, what other weights of text fields change in the lexical parts. */
  readonly weightAdditions?: readonly ScoreAdditions[];
}

export interface SearchScope extends HitConditions, AddedScores {
  readonly resources: SearchResources;
  /** For each segment, the documents that may be hits, if they are known already. Then the conditions do not count. */
  readonly allowed?: readonly Bits[];
  /** How many of the best hits to skip, for the next page. */
  readonly offset?: number;
  /** Lets the search pause for other work, and stops it on an abort. */
  readonly turns?: Turns;
}

/** @internal The scope of a search in an index that ranks its documents elsewhere. */
export interface RemoteScope extends Pick<SearchScope, "condition" | "offset" | "turns"> {
  /** Ids of documents that must not be hits. */
  readonly excludedIds?: readonly string[];
}
