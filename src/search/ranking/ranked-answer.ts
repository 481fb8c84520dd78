// What a ranking gives an answer: its documents, which are not read yet, and all that the answer says besides them.

import type { Notice } from "../../query/ask/notice.ts";
import type { QueryTerm } from "../../query/ask/query.ts";
import type { ScoredDoc } from "../../rank/best-documents.ts";
import type { EngineStats } from "../../rank/ranking.ts";
import type { AnswerCounts } from "../count/answer-counts.ts";

/** @internal */
export interface RankedAnswer extends Partial<AnswerCounts> {
  readonly ranked: readonly ScoredDoc[];
  readonly terms: readonly QueryTerm[];
  readonly stats: RankingStats;
  readonly notices?: readonly Notice[];
}

/** What a ranking did, and how long it took. */
export interface RankingStats extends EngineStats {
  /**
   * Set if the terms of the query find nothing. `nothing`: the query is empty, and there are no hits. `meaning`: no document
   * contains any of its terms; the hits are the documents whose vectors are clearly nearer to it than to made-up words.
   */
  readonly answeredBy?: "nothing" | "meaning";
  /**
   * The share of the documents' terms, from 0 to 1, that their rows dropped. A document is not found by a term that its row
   * dropped. 0 with `dims: "full"`.
   */
  readonly droppedShare: number;
}
