// What an answer says of reranking (rerank.ts): a part of each hit, and a part of the statistics.

/** What reranking says of a hit. */
export interface RerankPart {
  /** What the model says of the question and this document. It has no limits. */
  readonly score: number;
  /** What the hits are ordered by: both scores, each with mean 0 and variance 1 over the reranked hits, mixed. */
  readonly mixed: number;
  /** The place that the hit had before, from 1 on. */
  readonly from: number;
}

/** What reranking did in a search. */
export interface RerankStats {
  readonly model: string;
  /** How many hits the model ordered. */
  readonly docs: number;
  readonly mix: number;
  readonly ms: number;
}
