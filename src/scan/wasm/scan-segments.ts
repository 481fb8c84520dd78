// Queries and all segments → candidates. Windows are scanned one after another, and each raises the threshold for the
// next. One thread and many run the same loop; with many, each takes the next window that no other has taken.

import type { QueryRow } from "../../densify/rows.ts";
import type { Scoring } from "../../query/plan/stage-plan.ts";
import type { Bits } from "../../support/numbers/bits.ts";
import { Candidates } from "../contract/candidates.ts";
import { createCounts, type ScanCounts } from "../contract/scan-counts.ts";
import { additionRange, type ScoreAdditions } from "../contract/score-additions.ts";
import type { Scanner, ScanQuery } from "./scanner.ts";
import { Threshold } from "./threshold.ts";
import { WindowWithAdditions } from "./window-with-additions.ts";

export interface ScanRequest {
  readonly scannedQuery: QueryRow;
  readonly scoring: Scoring;
  /** How many of the best documents by its own score the scan must find. */
  readonly wantedCandidates: number;
  /** False: documents that are very unlikely to matter may be dropped. */
  readonly isCertain?: boolean;
  /** Documents that score less, before anything is added to their scores, are not hits. */
  readonly leastBeforeAdditions?: number | undefined;
}

export interface ScanSegment {
  readonly scanner: Scanner;
  /** The `doc` of its first document. */
  readonly first: number;
  /** By local: who may be found. Undefined: everyone. */
  readonly allowed: Bits | undefined;
  /** What is added to the scores of its documents. */
  readonly additions?: ScoreAdditions | undefined;
}

export interface Scanned {
  readonly candidates: Candidates;
  /** Every document that is not a candidate scores less than this, by the scan's own score. −∞ if none was dropped. */
  readonly threshold: number;
  readonly counts: ScanCounts;
}

/** What threads share during a scan. */
export interface SharedByThreads {
  /** Takes the next window, counted over all segments. */
  next(): number;
  /** The highest threshold of the i-th query that a thread has found. */
  threshold(i: number): number;
  raise(i: number, threshold: number): void;
}

/** Runs the scan of one query, without a pause. */
export function runScan(segments: readonly ScanSegment[], request: ScanRequest): Scanned {
  const steps = scanInSteps(segments, [request]);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value[0];
  }
}

/**
 * Many queries at once: all of them scan a window while it is in the processor's cache. A step is one query at one window, so
 * that others can run in between. Steps leave nothing in the scratch memory.
 */
export function* scanInSteps(
  segments: readonly ScanSegment[],
  requests: readonly ScanRequest[],
  shared = createUnshared(),
): Generator<undefined, Scanned[]> {
  const scans: Scan[] = [];
  let before = 0;
  let window = shared.next();
  for (const { scanner, first, allowed, additions } of segments) {
    const end = before + scanner.windows.length;
    if (window < end) {
      const prepared: ScanQuery[] = [];
      for (; window < end; window = shared.next()) {
        const w = window - before;
        const range =
          additions && additionRange(additions, scanner.windows[w].first, scanner.windows[w].docs);
        for (let i = 0; i < requests.length; i++) {
          const { scannedQuery, scoring, isCertain, wantedCandidates } = requests[i];
          scans[i] ??= createScan(wantedCandidates);
          const { threshold, candidates, counts } = scans[i];
          prepared[i] ??= scanner.prepare(scannedQuery, scoring, isCertain);
          threshold.raise(shared.threshold(i));
          // With additions, one object stands between the scan and both of the others.
          const adding =
            range &&
            new WindowWithAdditions(additions!, range, first, threshold, candidates, leastHit(requests[i]));
          scanner.scan(w, prepared[i], adding ?? threshold, allowed, first, adding ?? candidates, counts);
          shared.raise(i, threshold.value);
          yield;
        }
      }
    }
    before = end;
  }
  const all: Scanned[] = [];
  for (const [i, { wantedCandidates }] of requests.entries()) {
    const { threshold, candidates, counts } = scans[i] ?? createScan(wantedCandidates);
    const highest = Math.max(threshold.value, shared.threshold(i));
    candidates.dropBelow(highest);
    all.push({ candidates, threshold: highest, counts });
    if (i < requests.length - 1) yield;
  }
  return all;
}

/** The score that a hit has at least, before anything is added to it. Without vectors, a document must hold one of the terms. */
function leastHit({
  scannedQuery,
  scoring,
  leastBeforeAdditions = Number.NEGATIVE_INFINITY,
}: ScanRequest): number {
  return Math.max(
    leastBeforeAdditions,
    scannedQuery.semantic || scoring === "quantized" ? Number.NEGATIVE_INFINITY : Number.MIN_VALUE,
  );
}

interface Scan {
  readonly threshold: Threshold;
  readonly candidates: Candidates;
  readonly counts: ScanCounts;
}

function createScan(wantedCandidates: number): Scan {
  return {
    threshold: new Threshold(wantedCandidates),
    candidates: new Candidates(2 * wantedCandidates),
    counts: createCounts(),
  };
}

/** For a single thread, which shares with no other. */
function createUnshared(): SharedByThreads {
  let window = 0;
  return { next: () => window++, threshold: () => Number.NEGATIVE_INFINITY, raise: () => {} };
}
