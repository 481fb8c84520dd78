// The contract of a first stage: queries and segments → candidates, the documents that may be among the k best. What happens
// to the candidates is the same for all first stages: rank/second-stage.ts scores them exactly, ranks them, and says whether the answer is exact.

import type { EngineRequest, FirstStagePlan } from "../query/first-stage-plan.ts";
import type { Bits } from "../support/bits.ts";
import type { Turns } from "../support/turns.ts";
import type { Candidates } from "./candidates.ts";
import type { ScanCounts } from "./scan-counts.ts";
import type { Scanner } from "./wasm/scanner.ts";
import type { ResidentSegment } from "./webgpu/resident-segment.ts";

/** A segment that a first stage can load. */
export interface ScannableSegment {
  /** The `doc` of its first document. */
  readonly first: number;
  readonly docs: number;
  /** By local: the documents that may be hits; undefined: all. */
  readonly allowed: Bits | undefined;
  /** Its layout in WebAssembly memory. The first call loads it. */
  scanner(): Promise<Scanner>;
  /** Its rows on a GPU. The first call uploads them. */
  resident?(): Promise<ResidentSegment>;
}

/** A segment that is loaded. A first stage scans it if it has what that stage reads. */
export interface LoadedSegment extends Pick<ScannableSegment, "first" | "docs" | "allowed"> {
  /** How many documents may be hits. */
  readonly live: number;
  readonly scanner: Scanner | undefined;
  readonly resident: ResidentSegment | undefined;
}

/** What a first stage found for one query. */
export interface FoundCandidates {
  /** In ascending order, each with an upper bound of its score by `plan.rankedBy`. */
  readonly candidates: Candidates;
  /** How many documents were candidates before the best were chosen among them. */
  readonly passed: number;
  /** The most that any other document can score. −∞: no other can be among the k best. +∞: nothing is known. */
  readonly unseen: number;
  readonly counts: ScanCounts;
  /** Asks for more candidates; undefined if there is nobody to ask. */
  readonly more?: () => Promise<FoundCandidates>;
}

export interface FirstStage {
  readonly kernel: "wasm" | "webgpu";
  /** Why it cannot answer a request; undefined if it can. */
  refusal(request: EngineRequest): string | undefined;
  /** Why another first stage must answer after this error; undefined if the error is the caller's. */
  reasonToFallBack(error: unknown): string | undefined;
  /** Loads what it reads of a segment. Undefined: it does not scan this one, so all of its documents are scored. */
  load(
    segment: ScannableSegment,
    live: number,
  ): Promise<Pick<LoadedSegment, "scanner" | "resident"> | undefined>;
  /** The candidates of each query. Weights are at least 0, and every segment was loaded by this first stage. */
  find(
    segments: readonly LoadedSegment[],
    plans: readonly FirstStagePlan[],
    turns: Turns,
  ): Promise<FoundCandidates[]>;
}
