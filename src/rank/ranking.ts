// The results of the engine: ranked documents, with statistics of the search.

import type { Plan } from "../query/plan/plan.ts";
import type { ScanCounts } from "../scan/contract/scan-counts.ts";
import type { ScoredDoc } from "./best-documents.ts";

/** What the two stages did, and how long they took. */
export interface EngineStats {
  readonly plan: Plan["kind"];
  /** What found the candidates; `scalar` if nothing was scanned, because all documents that could be hits were scored. */
  readonly kernel: "wasm" | "webgpu" | "scalar" | "opensearch";
  /** If a GPU was chosen and the CPU answered, the reason. */
  readonly fallback?: string;
  /** Documents that could be hits: not deleted, not excluded, accepted by the filter. */
  readonly allowedCount: number;
  /** Documents whose exact score was computed. */
  readonly scored: number;
  /** Documents that the first stage passed on. */
  readonly candidates: number;
  /**
   * Whether it is certain that no other row scores higher. Rows may lack terms of their documents: see `droppedShare`. With
   * `rerank` it is about the ranking before.
   */
  readonly exact: boolean;
  /** Entries of the query that the first stage used, and all of them: slots, and numbers of its vector. */
  readonly usedDims: number;
  readonly queryDims: number;
  readonly scan: Readonly<ScanCounts>;
  readonly firstStageMs: number;
  readonly secondStageMs: number;
}

export interface Ranking {
  readonly ranked: ScoredDoc[];
  readonly stats: EngineStats;
}
