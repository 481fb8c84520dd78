// An index and the options of a search → the context that all of its queries share: the scope of the search, the function that
// ranks documents, and the weights.

import type { CheckedBoost } from "../documents/boost.ts";
import { noCodesError, type Plan } from "../query/plan.ts";
import type { SearchResources } from "../scan/search-resources.ts";
import type { Turns } from "../support/work/turns.ts";
import { searchFieldWeights } from "./additions/reweigh-fields.ts";
import type { NarrowedQuery } from "./demands/narrow.ts";
import { fieldsNeeded } from "./options/answer-options.ts";
import type { CheckedSearch } from "./options/search-options.ts";
import { createRanker, type RankRequests } from "./rank-documents.ts";
import type { RemoteScope, SearchedIndex } from "./searched-index.ts";

/** The scope of a search, as its caller gave it. `ranking-input.ts` finds out what that means in each segment. */
interface SearchScope extends RemoteScope {
  readonly resources: SearchResources;
  /** Documents that must not be hits: those of `excludedIds` that are there. */
  readonly excludedDocs?: ReadonlySet<number> | undefined;
  /** What fields of documents add to scores. */
  readonly boosts?: readonly CheckedBoost[] | undefined;
}

/** @internal What is the same for all queries of a search. */
export interface SearchContext extends Pick<SearchedIndex, "snapshot" | "preparer"> {
  readonly rankRequests: RankRequests;
  readonly options: CheckedSearch["options"];
  readonly plan: Plan;
  readonly lambda: number;
  /** Which documents may be hits, what is added to their scores, and what they are searched with. */
  readonly scope: SearchScope;
  readonly turns: Turns;
  /** Weights of text fields, if they are not those of the index. Then there is one query at a time. */
  readonly fieldWeights: readonly number[] | undefined;
  /** The query of the context with its demands, if it has any. Then there is one query at a time, too. */
  readonly narrowed: NarrowedQuery | undefined;
}

/** @internal The context of queries that have the same options. */
export function createContext(
  index: SearchedIndex,
  { options, plan, condition, boosts, excludedIds }: CheckedSearch,
  turns: Turns,
  narrowed?: NarrowedQuery,
): SearchContext {
  const { snapshot, preparer } = index;
  const { offset = 0, lambda = snapshot.lambda } = options;
  // The engine scores few documents without codes, and so would not miss them. An index that ranks elsewhere has its own plans.
  if (plan.kind === "quantized" && !snapshot.quantize && !index.rankRequests) throw noCodesError();
  if (condition) index.checkCondition?.(condition);
  for (const { field } of fieldsNeeded(options)) index.checkCondition?.({ kind: "exists", field });
  for (const { field } of boosts ?? []) index.checkCondition?.({ kind: "exists", field });
  const excludedDocs = excludedIds.length > 0 ? new Set<number>() : undefined;
  for (const id of excludedIds) {
    const doc = snapshot.docOf(id);
    if (doc !== undefined) excludedDocs?.add(doc);
  }
  const resources = index.resources.open();
  const scope = { resources, offset, excludedDocs, excludedIds, turns, boosts, condition };
  const rankRequests = createRanker(index);
  const fieldWeights = searchFieldWeights(snapshot, options.fieldWeights);
  return { snapshot, preparer, rankRequests, options, plan, lambda, scope, turns, fieldWeights, narrowed };
}
