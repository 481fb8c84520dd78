// The options of `explain` and `explainQuery`, and their checks.

import { type Boost, type CheckedBoost, checkBoosts } from "../../documents/boost.ts";
import type { Fields } from "../../documents/document.ts";
import { checkFieldWeights, type KnownFieldWeights } from "../../documents/text-fields.ts";
import { checkPlan, type Plan, type PlanName } from "../../query/plan/plan.ts";
import { checkWordOptions, WORD_OPTIONS, type WordOptions } from "../../query/words/word-options.ts";
import { checkLambdaIfGiven } from "../../support/options/lambda.ts";
import { checkBoolean, checkOptions, checkSignal, type KnownOptions } from "../../support/options/options.ts";

/** What explaining a score and explaining a query have in common. */
export interface PreparingOptions extends WordOptions {
  /** Weight of the semantic part, instead of the index's own. */
  readonly lambda?: number | undefined;
  /** Reads operators in the text of the query, as the search did. */
  readonly syntax?: boolean | undefined;
  /** Stops the call while the query is encoded. It then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface ExplainOptions<FieldsType = Fields> extends PreparingOptions {
  /** The boosts of the search. The origin of a decay is the time of the call, unless you give it. */
  readonly boosts?: readonly Boost<FieldsType>[] | undefined;
  /** The weights of text fields of the search. */
  readonly fieldWeights?: KnownFieldWeights<FieldsType> | undefined;
}

export interface ExplainQueryOptions extends PreparingOptions {
  /** The plan whose first stage is explained; `auto` by default. */
  readonly plan?: Plan | PlanName | undefined;
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

/** Throws if an option of `explain` is unknown or wrong. Returns the boosts. */
export function checkExplainOptions(options: ExplainOptions): readonly CheckedBoost[] {
  checkOptions(options, EXPLAIN_OPTIONS, "explain");
  checkPreparing(options);
  checkFieldWeights(options.fieldWeights);
  const { boosts = [] } = options;
  return checkBoosts(boosts, Date.now());
}

/** Throws if an option of `explainQuery` is unknown or wrong. Returns the plan. */
export function checkExplainQueryOptions(options: ExplainQueryOptions): Plan {
  checkOptions(options, EXPLAIN_QUERY_OPTIONS, "explainQuery");
  checkPreparing(options);
  return checkPlan(options.plan);
}

function checkPreparing({ lambda, syntax, signal, ...words }: PreparingOptions): void {
  checkLambdaIfGiven(lambda);
  checkBoolean("syntax", syntax);
  checkWordOptions(words);
  checkSignal(signal);
}
