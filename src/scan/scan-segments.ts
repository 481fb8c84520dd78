// A scan over all segments: windows one after another, the k-th best of those before setting the bar for the next.
// The same loop serves one thread and many; with many, each takes the next window that nobody has taken.

import type { QueryRow } from "../densify/rows.ts";
import type { Bits } from "../support/bits.ts";
import { Candidates } from "./candidates.ts";
import { emptyCounts, type ScanCounts } from "./scan-counts.ts";
import type { Question, Scanner, Scoring } from "./scanner.ts";
import { Threshold } from "./threshold.ts";

export interface ScanRequest {
  readonly query: QueryRow;
  readonly by: Scoring;
  /** How many documents are wanted. */
  readonly wanted: number;
  /** False: documents that are most unlikely to matter may be dropped. */
  readonly isCertain?: boolean;
}

export interface ScanSegment {
  readonly scanner: Scanner;
  /** The number of its first document. */
  readonly first: number;
  readonly allowed: Bits | undefined;
}

export interface Scanned {
  readonly candidates: Candidates;
  /** What no document that is not a candidate can reach, by the scan's own score; −∞ when none was dropped. */
  readonly floor: number;
  readonly counts: ScanCounts;
}

/** What threads share during a scan. */
export interface Shared {
  /** The next window, counted over all segments. */
  next(): number;
  /** What is known to be reached, of the i-th question. */
  floor(i: number): number;
  raise(i: number, floor: number): void;
}

export function runScan(segments: readonly ScanSegment[], request: ScanRequest, shared = alone()): Scanned {
  return runScans(segments, [request], shared)[0];
}

/** Many questions at once: each window is read by all of them while it is in the processor's cache. */
export function runScans(
  segments: readonly ScanSegment[],
  requests: readonly ScanRequest[],
  shared = alone(),
): Scanned[] {
  const steps = scanInSteps(segments, requests, shared);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same, in steps of one question at one window. Nothing is left in the scratch memory of a window between two of them. */
export function* scanInSteps(
  segments: readonly ScanSegment[],
  requests: readonly ScanRequest[],
  shared = alone(),
): Generator<undefined, Scanned[]> {
  const scans: Scan[] = [];
  let before = 0;
  let window = shared.next();
  for (const { scanner, first, allowed } of segments) {
    const end = before + scanner.windows.length;
    if (window < end) {
      const questions: Question[] = [];
      for (; window < end; window = shared.next()) {
        for (let i = 0; i < requests.length; i++) {
          const { query, by, isCertain, wanted } = requests[i];
          scans[i] ??= newScan(wanted);
          const { threshold, candidates, counts } = scans[i];
          questions[i] ??= scanner.prepare(query, by, isCertain);
          threshold.raise(shared.floor(i));
          scanner.scan(window - before, questions[i], threshold, allowed, first, candidates, counts);
          shared.raise(i, threshold.floor);
          yield;
        }
      }
    }
    before = end;
  }
  const all: Scanned[] = [];
  for (const [i, { wanted }] of requests.entries()) {
    const { threshold, candidates, counts } = scans[i] ?? newScan(wanted);
    const floor = Math.max(threshold.floor, shared.floor(i));
    candidates.keep(floor);
    all.push({ candidates, floor, counts });
    if (i < requests.length - 1) yield;
  }
  return all;
}

interface Scan {
  readonly threshold: Threshold;
  readonly candidates: Candidates;
  readonly counts: ScanCounts;
}

function newScan(wanted: number): Scan {
  return {
    threshold: new Threshold(wanted),
    candidates: new Candidates(2 * wanted),
    counts: emptyCounts(),
  };
}

function alone(): Shared {
  let window = 0;
  return { next: () => window++, floor: () => Number.NEGATIVE_INFINITY, raise: () => {} };
}
