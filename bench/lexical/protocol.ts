// How the bench and an engine's program speak, in whatever language that is written:
//
//   PROGRAM build DATA INDEX RESULT [VARIANT]   makes the index of the data set in DATA in the empty folder INDEX
//   PROGRAM ask DATA INDEX RESULT               opens it and asks all queries, each way it can search, at each cut
//
// and writes what it found into RESULT, as JSON: a Built, an Asked, or a Failed. Queries are prepared before the clock
// runs, and document numbers are read off the answers after it has stopped. A way warms up with one query, then with
// whole passes over the queries until one is not STEADY times as fast as the one before, then passes are timed. A pass that takes
// longer than PASS_MS stops, and later ones ask no more queries than it did. Everything runs in one thread.

import type { Cut } from "../hybrid/measure.ts";

export type Job = "build" | "ask";

export interface Built {
  readonly buildMs: number;
  /** Nothing was written: the engine builds when it is opened. */
  readonly inMemory?: boolean;
  /** Bytes in INDEX that are no index: documents' text. */
  readonly otherBytes?: number;
  readonly peakBytes: number;
}

export interface Asked {
  readonly openMs: number;
  /** What was loaded. */
  readonly note?: string;
  readonly ways: readonly AskedWay[];
  /** Resident, after all queries. */
  readonly rssBytes: number;
  readonly peakBytes: number;
}

export interface AskedWay {
  /** What tells it from the engine's other ways; empty when there is one. */
  readonly name: string;
  /** By its makers' word. */
  readonly exact: boolean;
  readonly at: Readonly<Record<Cut, Passes>>;
}

export interface Passes {
  /** Milliseconds, by pass and query. */
  readonly times: readonly (readonly number[])[];
  /** Document numbers by query, best first. */
  readonly found: readonly (readonly number[])[];
}

export interface Failed {
  readonly error: string;
}

export const PASSES = 3;
export const PASS_MS = 10_000;
export const WARM_UP_PASSES = 10;
export const STEADY = 1.05;
