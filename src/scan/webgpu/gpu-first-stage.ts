// The first stage on a GPU. It finds the best documents in float32, and bounds their scores by what rounding can be off.
// Rounding could make it miss a document. So it is asked for more than wanted, and the score of the last one bounds all
// others. If that does not settle who is among the k best, it can be asked for more.

import type { EngineRequest, StagePlan } from "../../query/plan/stage-plan.ts";
import { problemOf } from "../../support/errors/sluice-error.ts";
import type { Turns } from "../../support/work/turns.ts";
import { Candidates } from "../contract/candidates.ts";
import type { FirstStage, FoundCandidates, LoadedSegment, SegmentExtent } from "../contract/first-stage.ts";
import { createCounts } from "../contract/scan-counts.ts";
import { DeviceLost, DeviceMemory } from "./device-errors.ts";
import type { DeviceAnswer, DevicePlan, DeviceQuery } from "./device-plan.ts";
import { MOST_CANDIDATES, MOST_RESULTS } from "./device-search.ts";
import type { ResidentSegment } from "./resident-segment.ts";

/** How many times as many documents are asked for if the last ones did not settle who is best. */
const MORE = 4;

interface Uploadable {
  resident?(): Promise<ResidentSegment>;
}

interface OnDevice {
  readonly scanner: undefined;
  readonly resident: ResidentSegment;
}

export class GpuFirstStage implements FirstStage<Uploadable, OnDevice> {
  readonly kernel = "webgpu";
  readonly #isOptional: boolean;

  /** `isOptional`: the CPU may answer if rows do not fit the GPU. */
  constructor(isOptional: boolean) {
    this.#isOptional = isOptional;
  }

  refusal({ row, plan, k, isBoosted, isReweighed }: EngineRequest): string | undefined {
    if (isBoosted) return "boosts are added on the CPU";
    if (isReweighed) return "weights of fields are changed on the CPU";
    if (row.values.some((value) => value < 0)) return "weights below 0 are scored on the CPU";
    if (plan.kind === "quantized") return "product codes are read on the CPU";
    if (plan.kind === "inner-product" && plan.rescore === false) {
      return "an inner product without rescoring is ranked on the CPU";
    }
    if (addMargin(k) > MOST_RESULTS) return `a GPU ranks ${MOST_RESULTS} documents at most`;
    const candidates = "candidates" in plan ? (plan.candidates ?? 0) : 0;
    if (candidates > MOST_CANDIDATES) return `a GPU takes ${MOST_CANDIDATES} candidates at most`;
    return undefined;
  }

  reasonToFallBack(error: unknown): string | undefined {
    const canDoWithout = error instanceof DeviceLost || (this.#isOptional && error instanceof DeviceMemory);
    return canDoWithout ? problemOf(error) : undefined;
  }

  async load(
    segment: SegmentExtent & Uploadable,
    allowedCount: number,
  ): Promise<LoadedSegment<OnDevice> | undefined> {
    const { first, rowCount, allowed, additions } = segment;
    if (rowCount === 0) return undefined;
    const resident = await segment.resident!();
    return { first, rowCount, allowed, additions, allowedCount, scanner: undefined, resident };
  }

  async find(
    segments: readonly LoadedSegment<OnDevice>[],
    plans: readonly StagePlan[],
    turns: Turns,
  ): Promise<FoundCandidates[]> {
    return findBest(segments, plans, addMargin(plans[0].k), turns);
  }
}

/** How many documents to ask the GPU for: more than k, since float32 may swap neighbors around the k-th. */
function addMargin(k: number): number {
  return k + Math.max(32, k >> 3);
}

async function findBest(
  segments: readonly LoadedSegment<OnDevice>[],
  plans: readonly StagePlan[],
  wanted: number,
  turns: Turns,
): Promise<FoundCandidates[]> {
  const found = new Map<StagePlan, FoundCandidates>();
  // Queries with one plan can still differ: one may select all dimensions, another only some.
  for (const kind of new Set(plans.map(batchKey))) {
    turns.signal?.throwIfAborted();
    const alike = plans.filter((plan) => batchKey(plan) === kind);
    const queries = alike.map(toDeviceQuery);
    const answers = await turns.raceAbort(
      Promise.all(
        segments.map(({ resident, allowed, rowCount }) =>
          resident.ask(
            queries,
            Math.min(wanted, rowCount),
            toDevicePlan(alike[0]),
            allowed,
            skipsZeros(alike[0]),
          ),
        ),
      ),
    );
    for (const [i, plan] of alike.entries()) {
      const more = () => findBest(segments, [plan], Math.min(MORE * wanted, MOST_RESULTS), turns);
      const best = joinAnswers(
        segments,
        answers.map((some) => some[i]),
        wanted,
      );
      const canAskMore = plan.usesWholeQuery && wanted < MOST_RESULTS;
      found.set(plan, canAskMore ? { ...best, more: async () => (await more())[0] } : best);
    }
  }
  return plans.map((plan) => found.get(plan)!);
}

/** Whether the device does this stage in two steps: it selects candidates, and scores them again. */
const hasDeviceStages = ({ usesWholeQuery, rescores }: StagePlan) => !usesWholeQuery && rescores;

/** Whether a document must score above 0 to be a hit: so it is without a semantic part. */
const skipsZeros = ({ wholeQuery }: StagePlan) => !wholeQuery.semantic;

const batchKey = (plan: StagePlan) => JSON.stringify(toDevicePlan(plan)) + skipsZeros(plan);

function toDevicePlan(plan: StagePlan): DevicePlan {
  if (!hasDeviceStages(plan)) return { kind: "exact" };
  const by = plan.scoring === "inner-product" ? "inner-product" : "gated";
  return { kind: "stages", by, candidates: plan.wantedCandidates };
}

function toDeviceQuery(plan: StagePlan): DeviceQuery {
  if (!hasDeviceStages(plan)) return { query: plan.rankedBy.query };
  return { query: plan.wholeQuery, ...(plan.scoring === "gated" && { selected: plan.scannedQuery }) };
}

/** The documents of the answers, one answer for each segment, and the most that others can score. */
function joinAnswers(
  segments: readonly LoadedSegment<OnDevice>[],
  answers: readonly DeviceAnswer[],
  wanted: number,
): FoundCandidates {
  const candidates = new Candidates();
  let othersBound = Number.NEGATIVE_INFINITY;
  for (const [i, { docs, scores, error, exact }] of answers.entries()) {
    const { first, rowCount, allowedCount } = segments[i];
    // A list that is not full has all documents that may be hits.
    const isFull = docs.length === Math.min(wanted, rowCount) && docs.length < allowedCount;
    if (isFull) othersBound = Math.max(othersBound, scores[docs.length - 1] + error);
    if (!exact) othersBound = Number.POSITIVE_INFINITY;
    const order = docs.map((_, entry) => entry).sort((a, b) => docs[a] - docs[b]);
    for (const entry of order) candidates.add(first + docs[entry], scores[entry] + error);
  }
  const candidatesFound = answers.reduce((sum, { docs, candidates }) => sum + (candidates || docs.length), 0);
  return { candidates, candidatesFound, othersBound, counts: createCounts() };
}
