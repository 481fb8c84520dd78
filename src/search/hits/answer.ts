// The answer of a search: hits, the fates of the query's terms, and statistics.

import type { Fields } from "../../documents/document.ts";
import type { Notice } from "../../query/ask/notice.ts";
import type { QueryTerm } from "../../query/ask/query.ts";
import type { AnswerCounts } from "../count/answer-counts.ts";
import type { RankingStats } from "../ranking/ranked-answer.ts";
import type { Highlights } from "./highlights.ts";
import type { Snippet } from "./snippets.ts";

/** A document that a search found. `Hit<Fields<Article>>` is one of your own documents. */
export interface Hit<FieldsType = Fields> {
  readonly id: string;
  /** lexical + semantic, and boost if there is one. */
  readonly score: number;
  readonly lexical: number;
  /** The similarity of the vectors, times λ: λ is in it already. */
  readonly semantic: number;
  /** What boosts and preferred phrases add, all together. Absent without either. */
  readonly boost?: number;
  /**
   * The document as it was given, without id, weights, termFactors and vector. With the option `fields`, it has those fields alone.
   * It is read when you first use it, or by the search if `snippets`, `highlight` or `fields` need it. Later commits do not change
   * it. If you have not read it before `close`, it throws `ERR_SLUICE_CLOSED`. (In a page it is there already.)
   */
  readonly document: FieldsType;
  /** If the search asked for snippets: the parts of title and text that hold the most of the query's words. */
  readonly snippets?: readonly Snippet[];
  /** If the search asked for them: where words of the query occur in title and text, or in the text fields. */
  readonly highlights?: Highlights;
  /** If the search was reranked: why the hit is at its place. `score` is the score before reranking. */
  readonly rerank?: RerankPart;
}

/** What a search returns. */
export interface Answer<FieldsType = Fields> extends Partial<AnswerCounts> {
  readonly hits: readonly Hit<FieldsType>[];
  /** What happened to each term of the query. */
  readonly terms: readonly QueryTerm[];
  readonly stats: SearchStats;
  /**
   * How the answer differs from what was asked: only words were searched, or an option names a field that no document has.
   * Absent if it does not.
   */
  readonly notices?: readonly Notice[];
}

/** What a search did, and how long it took. */
export interface SearchStats extends RankingStats {
  /** Set if a cross-encoder reordered the best hits. */
  readonly rerank?: RerankStats;
}

/** What reranking says of a hit. */
export interface RerankPart {
  /** How well the document answers the query, by the cross-encoder. It has no limits. */
  readonly score: number;
  /** What the hits are ordered by: both scores, each with mean 0 and variance 1 over the reranked hits, mixed. */
  readonly mixed: number;
  /** The place that the hit had before, from 1 on. */
  readonly rankBefore: number;
}

/** What reranking did in a search. */
export interface RerankStats {
  /** The folder of the cross-encoder. */
  readonly model: string;
  /** How many hits it ordered. */
  readonly hits: number;
  readonly mix: number;
  readonly ms: number;
}
