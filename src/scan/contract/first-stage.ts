// The contract of a first stage: plans and segments → candidates, the documents that may be among the k best. What happens to
// the candidates is the same for all first stages: rank/second-stage.ts scores them exactly, ranks them, and says whether the
// answer is exact. rank/ knows this contract alone; search/ chooses the first stages.

import type { EngineRequest, StagePlan } from "../../query/plan/stage-plan.ts";
import type { Bits } from "../../support/numbers/bits.ts";
import type { Turns } from "../../support/work/turns.ts";
import type { Candidates } from "./candidates.ts";
import type { ScanCounts } from "./scan-counts.ts";
import type { ScoreAdditions } from "./score-additions.ts";

/** With at most this many documents to search, a segment is not scanned on the CPU: all of them are scored exactly. */
export const FEW_DOCS = 256;

/** Which documents a segment has, and which of them may be hits. */
export interface SegmentExtent {
  /** The `doc` of its first document. */
  readonly first: number;
  /** How many rows it has, including the rows of deleted documents. */
  readonly rowCount: number;
  /** By local: the documents that may be hits; undefined: all. */
  readonly allowed: Bits | undefined;
  /** What is added to the scores of its documents; undefined: nothing. */
  readonly additions?: ScoreAdditions | undefined;
}

/** A segment that a first stage has loaded: the stage reads `Loaded` of it. */
export type LoadedSegment<Loaded> = SegmentExtent &
  Loaded & {
    /** How many documents may be hits. */
    readonly allowedCount: number;
  };

/** What a first stage found for one query. */
export interface FoundCandidates {
  /** In ascending order, each with an upper bound of its score by `plan.rankedBy`, with what is added to it. */
  readonly candidates: Candidates;
  /** How many documents were candidates before the best were chosen among them. */
  readonly candidatesFound: number;
  /** An upper bound of the score of any other document. −∞: no other can be among the k best. +∞: nothing is known. */
  readonly othersBound: number;
  readonly counts: ScanCounts;
  /** Asks for more candidates. Undefined if the first stage has returned all of them. */
  readonly more?: () => Promise<FoundCandidates>;
}

/** A first stage. It can load a segment that is `Loadable`, and then scans what is `Loaded`. */
export interface FirstStage<Loadable, Loaded> {
  readonly kernel: "wasm" | "webgpu";
  /** Why it cannot answer a request; undefined if it can. */
  refusal(request: EngineRequest): string | undefined;
  /** Why another first stage must answer after this error; undefined if the error is the caller's. */
  reasonToFallBack(error: unknown): string | undefined;
  /** Loads the parts of a segment that it reads. Undefined: it does not scan this segment, so all documents in it are scored. */
  load(segment: SegmentExtent & Loadable, allowedCount: number): Promise<LoadedSegment<Loaded> | undefined>;
  /** The candidates of each query. Weights are at least 0, and every segment was loaded by this first stage. */
  find(
    segments: readonly LoadedSegment<Loaded>[],
    plans: readonly StagePlan[],
    turns: Turns,
  ): Promise<FoundCandidates[]>;
}
