// The first stage on the CPU, on this thread or on the threads of a pool. A scan finds candidates by the part of the query
// that a plan selects. If that is not the whole query, the best of them get tighter bounds by the whole one.

import type { QueryRow } from "../../densify/rows.ts";
import type { StagePlan } from "../../query/plan/stage-plan.ts";
import type { Turns } from "../../support/work/turns.ts";
import { Candidates } from "../contract/candidates.ts";
import {
  FEW_DOCS,
  type FirstStage,
  type FoundCandidates,
  type LoadedSegment,
  type SegmentExtent,
} from "../contract/first-stage.ts";
import { additionAt, additionRange } from "../contract/score-additions.ts";
import type { ScanPool } from "./scan-pool.ts";
import { type Scanned, scanInSteps } from "./scan-segments.ts";
import type { Scanner } from "./scanner.ts";

/** The most candidates that get their bounds in one step. Larger: an abort waits longer. */
const STEP_DOCS = 1024;

interface Loadable {
  scanner(): Promise<Scanner>;
}

interface InMemory {
  readonly scanner: Scanner;
  readonly resident: undefined;
}

export class WasmFirstStage implements FirstStage<Loadable, InMemory> {
  readonly kernel = "wasm";
  readonly #pool: ScanPool | undefined;

  constructor(pool?: ScanPool) {
    this.#pool = pool;
  }

  refusal(): undefined {}

  reasonToFallBack(): undefined {}

  async load(
    segment: SegmentExtent & Loadable,
    allowedCount: number,
  ): Promise<LoadedSegment<InMemory> | undefined> {
    if (allowedCount <= FEW_DOCS) return undefined;
    const { first, rowCount, allowed, additions } = segment;
    return {
      first,
      rowCount,
      allowed,
      additions,
      allowedCount,
      scanner: await segment.scanner(),
      resident: undefined,
    };
  }

  async find(
    segments: readonly LoadedSegment<InMemory>[],
    plans: readonly StagePlan[],
    turns: Turns,
  ): Promise<FoundCandidates[]> {
    const scans = this.#pool
      ? await this.#pool.scan(segments, plans, turns)
      : await turns.run(scanInSteps(segments, plans));
    const found: FoundCandidates[] = [];
    for (const [i, plan] of plans.entries()) {
      const { candidates, counts } = scans[i];
      if (plan.usesWholeQuery) {
        found.push({
          candidates,
          candidatesFound: candidates.size,
          othersBound: Number.NEGATIVE_INFINITY,
          counts,
        });
      } else {
        found.push(await turns.run(boundByWholeQuery(segments, plan, scans[i])));
      }
    }
    return found;
  }
}

/** The candidates of a scan by a part of the query, with bounds by all of it. */
function* boundByWholeQuery(
  segments: readonly LoadedSegment<InMemory>[],
  plan: StagePlan,
  { candidates, threshold, counts }: Scanned,
): Generator<undefined, FoundCandidates> {
  const candidatesFound = candidates.size;
  if (!plan.rescores) return { candidates, candidatesFound, othersBound: Number.POSITIVE_INFINITY, counts };
  const { best, next } = candidates.top(plan.wantedCandidates);
  // Without a semantic part, the scan also drops documents that hold none of its terms.
  const dropped = Math.max(
    threshold,
    plan.scannedQuery.semantic ? Number.NEGATIVE_INFINITY : mostAddition(segments),
  );
  const othersBound =
    plan.scoring === "quantized"
      ? Number.POSITIVE_INFINITY
      : Math.max(dropped, next) + mostScore(segments, plan.leftOut);
  const bounded = new Candidates(best.size);
  const { docs } = best;
  let from = 0;
  for (const { first, rowCount, scanner, additions } of segments) {
    const query = scanner.prepare(plan.wholeQuery);
    while (from < docs.length && docs[from] < first + rowCount) {
      let to = from + 1;
      while (to < docs.length && to < from + STEP_DOCS && docs[to] < first + rowCount) to++;
      const bounds = scanner.bounds(
        query,
        docs.subarray(from, to).map((doc) => doc - first),
      );
      for (let i = from; i < to; i++) {
        const added = additions ? additionAt(additions, docs[i] - first) : 0;
        bounded.add(docs[i], bounds[i - from] + added);
      }
      from = to;
      yield;
    }
  }
  return { candidates: bounded, candidatesFound, othersBound, counts };
}

/** The most that is added to the score of any document. */
function mostAddition(segments: readonly LoadedSegment<InMemory>[]): number {
  return segments.reduce((most, { additions, rowCount }) => {
    return additions ? Math.max(most, additionRange(additions, 0, rowCount).greatest) : most;
  }, 0);
}

/** The most that a part of a query can give the score of any document. */
function mostScore(segments: readonly LoadedSegment<InMemory>[], query: QueryRow | undefined): number {
  if (!query) return 0;
  return segments.reduce((most, { scanner }) => Math.max(most, scanner.boundOfAnyScore(query)), 0);
}
