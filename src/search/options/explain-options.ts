// The options of `explain` and `explainQuery`.

import type { Boost } from "../../documents/boost.ts";
import type { FieldWeights } from "../../documents/text-fields.ts";
import type { Plan, PlanName } from "../../query/plan.ts";
import { WORD_OPTIONS, type WordOptions } from "../../query/words/word-options.ts";
import type { KnownOptions } from "../../support/options/options.ts";

/** What explaining a score and explaining a query have in common. */
export interface PreparingOptions extends WordOptions {
  /** Weight of the semantic part, instead of the index's own. */
  lambda?: number | undefined;
  /** Reads operators in the text of the query, as the search did. */
  syntax?: boolean | undefined;
  /** Stops the call while the query is encoded. It then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface ExplainOptions extends PreparingOptions {
  /** The boosts of the search. The origin of a decay is the time of the call, unless you give it. */
  boosts?: readonly Boost[] | undefined;
  /** The weights of text fields of the search. */
  fieldWeights?: FieldWeights | undefined;
}

export interface ExplainQueryOptions extends PreparingOptions {
  /** The plan whose first stage is explained; `auto` when left out. */
  plan?: Plan | PlanName | undefined;
}

/** The names of the options of `explain`. */
export const EXPLAIN_OPTIONS: KnownOptions<ExplainOptions> = {
  lambda: true,
  syntax: true,
  ...WORD_OPTIONS,
  boosts: true,
  fieldWeights: true,
  signal: true,
};
/** The names of the options of `explainQuery`. */
export const EXPLAIN_QUERY_OPTIONS: KnownOptions<ExplainQueryOptions> = {
  lambda: true,
  syntax: true,
  ...WORD_OPTIONS,
  signal: true,
  plan: true,
};
