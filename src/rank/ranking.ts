// What comes out of the engine: ranked documents, with statistics of the search.

import type { Plan } from "../query/plan.ts";
import type { ScanCounts } from "../scan/scan-counts.ts";
import type { Scored } from "./best.ts";
import type { RerankStats } from "./rerank-parts.ts";

/** What a search did, and how long it took. */
export interface SearchStats {
  readonly plan: Plan["kind"];
  readonly kernel: "wasm" | "webgpu" | "scalar";
  /** If a GPU was chosen and the CPU answered, the reason. */
  readonly fallback?: string;
  /**
   * Set if the terms of the query find nothing. `nothing`: the query is empty, and there are no hits. `meaning`: no document
   * contains any of its terms; the hits are the documents whose vectors are clearly nearer to it than to made-up words.
   */
  readonly answeredBy?: "nothing" | "meaning";
  /** Documents that could be hits: not deleted, not excluded, accepted by the filter. */
  readonly docs: number;
  /** Documents whose exact score was computed. */
  readonly scored: number;
  /** Documents that the first stage passed on. */
  readonly candidates: number;
  /**
   * Whether it is certain that no other row scores higher. Rows may lack terms of their documents: see `droppedTerms`. With
   * `rerank` it is about the first stage.
   */
  readonly exact: boolean;
  /**
   * The share of the documents' terms, from 0 to 1, that their rows dropped. A document is not found by a term that its row
   * dropped. 0 with `dims: "full"`.
   */
  readonly droppedTerms: number;
  /** Dimensions of the query that the first stage used, and all of them. */
  readonly usedDims: number;
  readonly queryDims: number;
  readonly scan: Readonly<ScanCounts>;
  readonly firstStageMs: number;
  readonly secondStageMs: number;
  /** Set if a model ordered the best hits anew. */
  readonly rerank?: RerankStats;
}

/** The statistics that an engine knows. */
export type EngineStats = Omit<SearchStats, "droppedTerms">;

export interface Ranking {
  readonly docs: Scored[];
  readonly stats: EngineStats;
}
