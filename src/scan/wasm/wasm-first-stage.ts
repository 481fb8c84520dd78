// The first stage on the CPU, on this thread or on the threads of a pool. A scan finds candidates by the part of the query
// that a plan selects. If that is not the whole query, the best of them get tighter bounds by the whole one.

import type { QueryRow } from "../../densify/rows.ts";
import type { FirstStagePlan } from "../../query/first-stage-plan.ts";
import type { Turns } from "../../support/turns.ts";
import { Candidates } from "../candidates.ts";
import type { FirstStage, FoundCandidates, LoadedSegment, ScannableSegment } from "../first-stage.ts";
import { type Scanned, type ScanSegment, scanInSteps } from "./scan-segments.ts";
import type { ScanPool } from "./thread-pool.ts";

/** With at most this many documents to search, a segment is not scanned: all are scored exactly. */
export const FEW_DOCS = 256;

/** The most candidates that get their bounds in one step. Larger: an abort waits longer. */
const STEP_DOCS = 1024;

export class WasmFirstStage implements FirstStage {
  readonly kernel = "wasm";
  readonly #pool: ScanPool | undefined;

  constructor(pool?: ScanPool) {
    this.#pool = pool;
  }

  refusal(): undefined {}

  reasonToFallBack(): undefined {}

  async load(segment: ScannableSegment, live: number) {
    return live > FEW_DOCS ? { scanner: await segment.scanner(), resident: undefined } : undefined;
  }

  async find(
    segments: readonly LoadedSegment[],
    plans: readonly FirstStagePlan[],
    turns: Turns,
  ): Promise<FoundCandidates[]> {
    const scanned = segments as readonly ScanSegment[]; // `load` gave every one a scanner
    const scans = this.#pool
      ? await this.#pool.scan(scanned, plans, turns)
      : await turns.run(scanInSteps(scanned, plans));
    const found: FoundCandidates[] = [];
    for (const [i, plan] of plans.entries()) {
      const { candidates, counts } = scans[i];
      if (plan.usesWholeQuery) {
        found.push({ candidates, passed: candidates.size, unseen: Number.NEGATIVE_INFINITY, counts });
      } else {
        found.push(await turns.run(boundByWholeQuery(segments, plan, scans[i])));
      }
    }
    return found;
  }
}

/** The candidates of a scan by a part of the query, with bounds by all of it. */
function* boundByWholeQuery(
  segments: readonly LoadedSegment[],
  plan: FirstStagePlan,
  { candidates, threshold, counts }: Scanned,
): Generator<undefined, FoundCandidates> {
  const passed = candidates.size;
  if (!plan.rescores) return { candidates, passed, unseen: Number.POSITIVE_INFINITY, counts };
  const { best, next } = candidates.top(plan.wanted);
  // Without a semantic part, the scan also drops documents that hold none of its terms.
  const dropped = Math.max(threshold, plan.query.semantic ? Number.NEGATIVE_INFINITY : 0);
  const unseen =
    plan.by === "codes"
      ? Number.POSITIVE_INFINITY
      : Math.max(dropped, next) + mostAdded(segments, plan.leftOut);
  const bounded = new Candidates(best.size);
  const { docs } = best;
  let from = 0;
  for (const { first, docs: own, scanner } of segments) {
    const query = scanner!.prepare(plan.wholeQuery);
    while (from < docs.length && docs[from] < first + own) {
      let to = from + 1;
      while (to < docs.length && to < from + STEP_DOCS && docs[to] < first + own) to++;
      const bounds = scanner!.bounds(
        query,
        docs.subarray(from, to).map((doc) => doc - first),
      );
      for (let i = from; i < to; i++) bounded.add(docs[i], bounds[i - from]);
      from = to;
      yield;
    }
  }
  return { candidates: bounded, passed, unseen, counts };
}

/** The most that a part of a query can add to the score of any document. */
function mostAdded(segments: readonly LoadedSegment[], query: QueryRow | undefined): number {
  if (!query) return 0;
  return segments.reduce((most, { scanner }) => Math.max(most, scanner!.most(query)), 0);
}
