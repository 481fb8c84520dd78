// An index and the options of a search → the context that all of its queries share.

import { noCodesError } from "../../query/plan/plan.ts";
import type { SearchResources } from "../../scan/search-resources.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import type { Turns } from "../../support/work/turns.ts";
import { searchFieldWeights } from "../additions/reweigh-fields.ts";
import { fieldsNeeded } from "../options/answer-options.ts";
import type { CheckedSearch } from "../options/search-options.ts";
import type { RankedIndex } from "./ranked-index.ts";

/** @internal What all queries of a search share. What belongs to one query is in its `NarrowedQuery`. */
export interface SearchContext {
  readonly index: RankedIndex;
  /** The index's snapshot; fixed for the search. */
  readonly snapshot: Snapshot;
  readonly options: CheckedSearch;
  /** Weights of text fields, in the order of the index's fields. Undefined: the index's own weights. */
  readonly fieldWeights: readonly number[] | undefined;
  /** The threads, the GPU and the memory of this search. */
  readonly resources: SearchResources;
  /** Let the search pause for other work, and stop it on an abort. */
  readonly turns: Turns;
}

/** @internal Throws if the index cannot do what the options ask for. */
export function createContext(index: RankedIndex, options: CheckedSearch, turns: Turns): SearchContext {
  const { snapshot } = index;
  const { plan, condition, boosts, answer } = options;
  // With few documents the engine never reads codes, so it would not notice that they are missing. Hence the check here. An index
  // that is ranked remotely has its own plans.
  if (plan.kind === "quantized" && !snapshot.quantize && !index.rankRemotely) throw noCodesError();
  if (condition) index.checkCondition?.(condition);
  for (const { field } of fieldsNeeded(answer)) index.checkCondition?.({ kind: "exists", field });
  for (const { field } of boosts) index.checkCondition?.({ kind: "exists", field });
  const resources = index.resources.takeSearchResources();
  const fieldWeights = searchFieldWeights(snapshot, options.fieldWeights);
  return { index, snapshot, options, fieldWeights, resources, turns };
}
