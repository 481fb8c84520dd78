// The protocol between the bench and an engine's program, which can be in any language:
//
//   PROGRAM build DATA INDEX RESULT [VARIANT]   builds an index of the data set DATA in the empty folder INDEX
//   PROGRAM ask DATA INDEX RESULT               opens it and searches all queries, in each way it has, at each k
//
// The program writes its measurements to the file RESULT as JSON: a BuildResult, an QueryTimes, or a Failed. Queries are prepared
// before the clock starts; document numbers are read from the answers after it has stopped. A way warms up with one query, then
// with whole passes over the queries until a pass is less than STEADY times as fast as the one before (support/warm-up.ts). Then
// PASSES passes are timed. A pass that takes longer than PASS_MS stops; later passes use the same number of queries. Everything
// runs in one thread.

import type { Cut } from "../hybrid/measure.ts";

export type Job = "build" | "ask";

export interface BuildResult {
  readonly buildMs: number;
  /** Nothing was written: the engine builds its index when it is opened. */
  readonly isInMemory?: boolean;
  /** Bytes in INDEX that do not belong to the index: the text of documents. */
  readonly otherBytes?: number;
  readonly peakBytes: number;
}

export interface QueryTimes {
  readonly openMs: number;
  /** What was loaded. */
  readonly note?: string;
  readonly ways: readonly AskedWay[];
  /** Resident memory after all queries. */
  readonly rssBytes: number;
  readonly peakBytes: number;
}

export interface AskedWay {
  /** Distinguishes it from the engine's other ways; empty if there is only one. */
  readonly name: string;
  /** Whether its authors call it exact. */
  readonly exact: boolean;
  readonly at: Readonly<Record<Cut, Passes>>;
}

export interface Passes {
  /** Milliseconds per pass and query. */
  readonly times: readonly (readonly number[])[];
  /** Document numbers per query, best first. */
  readonly found: readonly (readonly number[])[];
}

export interface Failed {
  readonly error: string;
}

/** Timed passes. */
export const PASSES = 3;
/** Longest pass in milliseconds. */
export const PASS_MS = 10_000;
