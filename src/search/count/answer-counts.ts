// The counts in an answer, of the documents that the search counted and sorted.

import type { Facet } from "./facets.ts";

/** Which documents an answer counts and sorts, how many these are, and their facets. */
export interface AnswerCounts {
  /**
   * `matches`: documents that hold a word of the query, or all of them with `match: "all"`. `filter`: all that the filter
   * accepts. `best`: the best by score, because by meaning every document matches a little.
   */
  readonly among: "matches" | "filter" | "best";
  /** How many documents these are. */
  readonly total: number;
  /** How many groups these documents are in, with `groupBy`. A document without a value is a group of its own. */
  readonly groups?: number;
  /** What was counted of each field, in the order of the request. */
  readonly facets?: readonly Facet[];
}
