// Candidates of one query → its ranking. Candidates are scored exactly, in float64, the highest bound first, until no other
// can be among the k best. Every first stage and every plan ends here. So does every statistic of a search.

import { type EngineRequest, type FirstStagePlan, firstStagePlanOf } from "../query/first-stage-plan.ts";
import type { Candidates } from "../scan/candidates.ts";
import type { FirstStage, FoundCandidates } from "../scan/first-stage.ts";
import { segmentAt } from "../segment/segment.ts";
import { Best, type Scored } from "./best.ts";
import { ExactScores } from "./exact.ts";
import type { Ranking } from "./ranking.ts";
import { exactParts, type OpenedSegment } from "./search-segment.ts";

/** The most documents that are scored in one step. Rows on the disk take about 10 µs each. Larger: an abort waits longer. */
const STEP_DOCS = 1024;

/** The least candidates that are scored together once there is a threshold: four vectors are read at a time. */
const LEAST_SCORED_TOGETHER = 4;
/** If many hits are wanted, this share of k is scored together: a call costs more than scoring a few documents too many. */
const SCORED_SHARE_OF_K = 1 / 16;

export class SecondStage {
  readonly firstStagePlan: FirstStagePlan;
  readonly #request: EngineRequest;
  readonly #segments: readonly OpenedSegment[];
  readonly #kernel: FirstStage["kernel"];
  readonly #live: number;
  /** The slices of the widest segment. With a slice for every term, older segments have fewer. */
  readonly #dims: number;
  #scored = 0;
  #ms = 0;

  /** `kernel` is that of the first stage. */
  constructor(request: EngineRequest, segments: readonly OpenedSegment[], kernel: FirstStage["kernel"]) {
    this.#kernel = kernel;
    this.#request = request;
    this.#segments = segments;
    this.#live = segments.reduce((sum, { live }) => sum + live, 0);
    // A query may have a slice that no segment has: that of a term which came into the vocabulary later.
    const asked = request.row.slices.reduce((most, slice) => Math.max(most, slice + 1), 1);
    this.#dims = segments.reduce((most, { dims }) => Math.max(most, dims), asked);
    this.firstStagePlan = firstStagePlanOf(request, this.#live);
  }

  /**
   * Scores the candidates, and all documents of segments that were not scanned, in steps of some documents. Undefined if
   * another document could be among the k best, and the plan must find it.
   */
  *rank(
    { candidates, passed, unseen, counts }: FoundCandidates,
    firstStageMs: number,
  ): Generator<undefined, Ranking | undefined> {
    const { firstStagePlan } = this;
    const { plan, row } = this.#request;
    const start = performance.now();
    const best = yield* this.#findBest(candidates);
    const isProven = unseen === Number.NEGATIVE_INFINITY || unseen < best.threshold;
    if (!isProven && firstStagePlan.usesWholeQuery) {
      this.#ms += performance.now() - start;
      return undefined;
    }
    const isScanned = this.#segments.some((segment) => segment.isScanned);
    const docs = firstStagePlan.rescores ? best.ranked() : yield* this.#withExactParts(best.ranked());
    return {
      docs,
      stats: {
        plan: plan.kind,
        kernel: isScanned ? this.#kernel : "scalar",
        docs: this.#live,
        scored: this.#scored,
        candidates: passed,
        exact: firstStagePlan.rescores && counts.guessed === 0 && isProven,
        usedDims: firstStagePlan.usedDims,
        queryDims: row.slices.length + (firstStagePlan.wholeQuery.semantic?.length ?? 0),
        scan: counts,
        firstStageMs,
        secondStageMs: this.#ms + performance.now() - start,
      },
    };
  }

  *#findBest(candidates: Candidates): Generator<undefined, Best> {
    const { k, rankedBy } = this.firstStagePlan;
    const best = new Best(k);
    const scores = new ExactScores(rankedBy.query, this.#dims, rankedBy.gated);
    try {
      for (const segment of this.#segments)
        if (!segment.isScanned) yield* this.#scoreAll(segment, scores, best);
      // First, enough candidates for a threshold, in any order. Then the best first: each may raise it, and spare others.
      yield* this.#score(candidates.takeTop(best.room), scores, best);
      candidates.rank();
      const atOnce = Math.max(LEAST_SCORED_TOGETHER, Math.round(k * SCORED_SHARE_OF_K));
      for (;;) {
        const docs = candidates.take(Math.max(best.room, atOnce), best.threshold);
        if (docs.length === 0) return best;
        yield* this.#score(docs, scores, best);
      }
    } finally {
      scores.done();
    }
  }

  *#scoreAll(segment: OpenedSegment, scores: ExactScores, best: Best): Generator<undefined, void> {
    const { docs, allowed } = segment;
    for (let from = 0; from < docs; from += STEP_DOCS) {
      const locals = Uint32Array.from({ length: Math.min(STEP_DOCS, docs - from) }, (_, i) => from + i);
      const live = allowed ? locals.filter((local) => allowed.get(local)) : locals;
      this.#scoreIn(segment, live, scores, best);
      yield;
    }
  }

  /** Scores documents of any segments, in ascending order. */
  *#score(docs: Uint32Array, scores: ExactScores, best: Best): Generator<undefined, void> {
    for (let from = 0; from < docs.length; ) {
      const segment = segmentAt(this.#segments, docs[from]);
      const end = segment.first + segment.docs;
      let to = from + 1;
      while (to < docs.length && to < from + STEP_DOCS && docs[to] < end) to++;
      const locals = docs.subarray(from, to).map((doc) => doc - segment.first);
      this.#scoreIn(segment, locals, scores, best);
      from = to;
      yield;
    }
  }

  /** Scores documents of one segment. */
  #scoreIn(segment: OpenedSegment, locals: Uint32Array, scores: ExactScores, best: Best): void {
    const { lexical, semantic } = exactParts(segment, scores, locals);
    this.#scored += locals.length;
    const { wholeQuery } = this.firstStagePlan;
    for (let i = 0; i < locals.length; i++) {
      const score = lexical[i] + semantic[i];
      // A document that shares no term with the query is not a hit, unless vectors are compared, which all documents have.
      if (score < best.threshold || (score === 0 && !wholeQuery.semantic)) continue;
      best.add({ doc: segment.first + locals[i], score, lexical: lexical[i], semantic: semantic[i] });
    }
  }

  /** Documents that the first stage ranked, with the parts of their exact scores. */
  *#withExactParts(ranked: readonly Scored[]): Generator<undefined, Scored[]> {
    const scores = new ExactScores(this.firstStagePlan.wholeQuery, this.#dims);
    const shown: Scored[] = [];
    try {
      for (const { doc, score } of ranked) {
        const segment = segmentAt(this.#segments, doc);
        const { lexical, semantic } = exactParts(segment, scores, Uint32Array.of(doc - segment.first));
        shown.push({ doc, score, lexical: lexical[0], semantic: semantic[0] });
        yield;
      }
    } finally {
      scores.done();
    }
    return shown;
  }
}
