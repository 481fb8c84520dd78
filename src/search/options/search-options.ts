// The options of a search, and their checks.

import { type Boost, type CheckedBoost, checkBoosts } from "../../documents/boost.ts";
import type { Fields } from "../../documents/document.ts";
import { type Condition, checkFilter, type Filter } from "../../documents/filter.ts";
import { checkFieldWeights, type FieldWeights, type KnownFieldWeights } from "../../documents/text-fields.ts";
import { checkPlan, type Plan, type PlanName } from "../../query/plan/plan.ts";
import {
  checkWordOptions,
  WORD_OPTIONS,
  type WordOptions,
  type WordRules,
  wordRules,
} from "../../query/words/word-options.ts";
import { checkLambdaIfGiven } from "../../support/options/lambda.ts";
import {
  checkBoolean,
  checkIds,
  checkIterable,
  checkNumber,
  checkOptions,
  checkSignal,
  isObject,
  type KnownOptions,
  MOST_DOCS,
  wrongValueError,
} from "../../support/options/options.ts";
import {
  ANSWER_OPTIONS,
  type AnswerOptions,
  type CheckedAnswerOptions,
  checkAnswerOptions,
} from "./answer-options.ts";
import { type CheckedRerank, checkRerank, type RerankOptions } from "./rerank-options.ts";

export interface SearchOptions<FieldsType = Fields> extends WordOptions, AnswerOptions<FieldsType> {
  /** The most hits to return; 10 by default. With 0 and `total` or `facets`, the answer has counts alone. */
  readonly k?: number | undefined;
  /** How many of the best hits to skip, for the next page. Pages fit together as long as the index does not change. */
  readonly offset?: number | undefined;
  /**
   * How to search; `auto` by default. The name of a plan that needs no options is short for an object: "exact" for { kind:
   * "exact" }.
   */
  readonly plan?: Plan | PlanName | undefined;
  /** Weight of the semantic part, instead of the index's own. */
  readonly lambda?: number | undefined;
  /**
   * Reads operators in the text of the query: "new york" (side by side), "new york"~2 (near each other), +word, -word,
   * field:value. By default the text is words alone.
   */
  readonly syntax?: boolean | undefined;
  /** A condition on the fields of documents: { year: { lt: 1933 } }. */
  readonly filter?: Filter<FieldsType> | undefined;
  /**
   * Adds to scores by fields: [{ field: "updated", decay: "exp", scale: "30d", weight: 2 }]. The ranking is as exact as without.
   * Boosts change the order of hits. They never add a hit.
   */
  readonly boosts?: readonly Boost<FieldsType>[] | undefined;
  /**
   * How much text fields count, instead of the weights of the index: { title: 5, text: 0.5 }. A field that is left out keeps its
   * weight; 0 leaves the field out. It needs an index with `fieldWeights`.
   */
  readonly fieldWeights?: KnownFieldWeights<FieldsType> | undefined;
  /** Ids that must not be among the hits; others take their places. */
  readonly exclude?: Iterable<string> | undefined;
  /** Leaves out documents that score less. Scores have no maximum. `offset` and `k` count among the documents that remain. */
  readonly minScore?: number | undefined;
  /**
   * Reorders the best hits by a cross-encoder, which reads the query and a document together. By default hits are not reordered.
   */
  readonly rerank?: RerankOptions | undefined;
  /** Aborting it stops the search within about 10 ms. The search then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The default of `k`. */
export const DEFAULT_K = 10;

/** The names of the options of a search. */
export const SEARCH_OPTIONS: KnownOptions<SearchOptions> = {
  k: true,
  offset: true,
  plan: true,
  lambda: true,
  syntax: true,
  filter: true,
  boosts: true,
  fieldWeights: true,
  exclude: true,
  minScore: true,
  ...WORD_OPTIONS,
  rerank: true,
  ...ANSWER_OPTIONS,
  signal: true,
};

/** The options of a search, checked and complete. Undefined: the search does without. */
export interface CheckedSearch {
  readonly k: number;
  readonly offset: number;
  readonly plan: Plan;
  readonly lambda: number;
  readonly syntax: boolean;
  /** The filter, checked and compiled. */
  readonly condition: Condition | undefined;
  /** Documents decay from the same origin in all queries: the time of the check. */
  readonly boosts: readonly CheckedBoost[];
  readonly fieldWeights: FieldWeights | undefined;
  /** The ids of `exclude`, which may be a list that can be read only once. */
  readonly excludedIds: readonly string[];
  readonly minScore: number | undefined;
  /** What is done with the words of queries. Undefined: they are taken as they are. */
  readonly wordRules: WordRules | undefined;
  readonly rerank: CheckedRerank | undefined;
  /** What shapes the answer. */
  readonly answer: CheckedAnswerOptions;
  readonly signal: AbortSignal | undefined;
}

const NONE: readonly never[] = [];

/**
 * Throws if an option of a search is unknown or wrong. Fills in the defaults. λ is `indexLambda`, the index's own, by default.
 * `callName` names the function in the error.
 */
export function checkSearch(options: SearchOptions, indexLambda: number, callName = "search"): CheckedSearch {
  checkOptions(options, SEARCH_OPTIONS, callName);
  const { k = DEFAULT_K, offset = 0, lambda = indexLambda, syntax = false } = options;
  const { filter, boosts, fieldWeights, exclude, minScore, signal } = options;
  checkNumber("k", k, { least: 0, most: MOST_DOCS, isWhole: true });
  checkNumber("offset", offset, { least: 0, most: MOST_DOCS, isWhole: true });
  checkNumber("minScore", minScore, { least: -Number.MAX_VALUE });
  const plan = checkPlan(options.plan);
  checkLambdaIfGiven(options.lambda);
  checkBoolean("syntax", syntax);
  if (filter !== undefined && !isObject(filter))
    throw wrongValueError("filter", "an object of fields", filter);
  checkFieldWeights(fieldWeights);
  checkIterable("exclude", "ids", exclude);
  checkWordOptions(options);
  const rerank = checkRerank(options.rerank);
  const answer = checkAnswerOptions(options);
  checkSignal(signal);
  // Hot path: an object spread is measurable in a short search.
  return {
    k,
    offset,
    plan,
    lambda,
    syntax,
    boosts: boosts === undefined ? NONE : checkBoosts(boosts, Date.now()),
    condition: filter && checkFilter(filter),
    fieldWeights: fieldWeights as FieldWeights | undefined,
    excludedIds: exclude === undefined ? NONE : checkIds("exclude", exclude),
    minScore,
    wordRules: wordRules(options),
    rerank,
    answer,
    signal,
  };
}
