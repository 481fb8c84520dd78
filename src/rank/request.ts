// What is asked of the engine, and what it answers.

import type { Row } from "../densify/rows.ts";
import type { Plan } from "../query/plan.ts";
import type { ScanCounts } from "../scan/scan-counts.ts";
import type { Scored } from "./best.ts";

export interface EngineRequest {
  readonly row: Row;
  /** The semantic part of the query, raw. */
  readonly vector?: Float32Array;
  /** Weight of the semantic part. */
  readonly lambda: number;
  readonly k: number;
  readonly plan: Plan;
}

/** What was done, and what it took. */
export interface SearchStats {
  readonly plan: Plan["kind"];
  readonly kernel: "wasm" | "webgpu" | "scalar";
  /** Where a GPU was to answer and did not: why. */
  readonly fallback?: string;
  /**
   * Where the words of the question say nothing. `nothing`: the question is empty, and there are no hits. `meaning`: no document
   * holds any of its words; hits are the documents that come clearly nearer to it than any comes to made-up words.
   */
  readonly answeredBy?: "nothing" | "meaning";
  /** Documents that could be hits: not deleted, not excluded, let through by the filter. */
  readonly docs: number;
  /** Documents whose exact score was computed. */
  readonly scored: number;
  /** Documents that the first stage handed on. */
  readonly candidates: number;
  /** Whether no other row scores higher, for certain. Rows may hold fewer terms than their documents: `droppedTerms`. */
  readonly exact: boolean;
  /**
   * The share of the documents' terms, from 0 to 1, that rows of slots dropped: a document is not found by a term that its
   * row lacks. 0 with `dims: "full"`.
   */
  readonly droppedTerms: number;
  /** Dimensions of the query that the first stage looked at, and that there are. */
  readonly usedDims: number;
  readonly queryDims: number;
  readonly scan: Readonly<ScanCounts>;
  readonly firstStageMs: number;
  readonly secondStageMs: number;
}

/** What the engine itself knows of that. */
export type EngineStats = Omit<SearchStats, "droppedTerms">;

export interface Ranking {
  readonly docs: Scored[];
  readonly stats: EngineStats;
}
