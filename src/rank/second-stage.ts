// Candidates of one query → its ranking. Candidates are scored exactly, in float64, the highest bound first, until no other
// can be among the k best. Every first stage and every plan ends here. So does every statistic of a search.

import { acceptsScoreZero, type EngineRequest, type StagePlan } from "../query/plan/stage-plan.ts";
import type { Candidates } from "../scan/contract/candidates.ts";
import type { FoundCandidates } from "../scan/contract/first-stage.ts";
import type { KernelInfo } from "../scan/contract/kernel-options.ts";
import { additionAt, additionPartsAt } from "../scan/contract/score-additions.ts";
import { segmentAt } from "../segment/segment.ts";
import { BestDocuments, type ScoredDoc } from "./best-documents.ts";
import { computeExactParts, countAllowed, type ScorableSegment } from "./engine-segment.ts";
import { LexicalScorer } from "./lexical-scorer.ts";
import type { Ranking } from "./ranking.ts";

/** The most documents that are scored in one step. Rows on the disk take about 10 µs each. Larger: an abort waits longer. */
const STEP_DOCS = 1024;

/** The least candidates that are scored together once there is a threshold: four vectors are read at a time. */
const LEAST_SCORED_TOGETHER = 4;
/** If many hits are wanted, this share of k is scored together: a call costs more than scoring a few documents too many. */
const SCORED_SHARE_OF_K = 1 / 16;

export class SecondStage {
  readonly #request: EngineRequest;
  readonly #stages: StagePlan;
  readonly #segments: readonly ScorableSegment[];
  readonly #kernel: KernelInfo["name"];
  /** The slices of the widest segment. With a slice for every term, older segments have fewer. */
  readonly #dims: number;
  readonly #acceptsScoreZero: boolean;
  #scored = 0;
  #ms = 0;

  /** `stages` is the plan that the first stage got for the request. It ran on `kernel`. */
  constructor(
    request: EngineRequest,
    stages: StagePlan,
    segments: readonly ScorableSegment[],
    kernel: KernelInfo["name"],
  ) {
    this.#request = request;
    this.#stages = stages;
    this.#acceptsScoreZero = acceptsScoreZero(stages.wholeQuery, request);
    this.#segments = segments;
    this.#kernel = kernel;
    // A query may have a slice that no segment has: its term came into the vocabulary later.
    const slicesInQuery = request.row.slices.reduce((most, slice) => Math.max(most, slice + 1), 1);
    this.#dims = segments.reduce((most, { dims }) => Math.max(most, dims), slicesInQuery);
  }

  /**
   * Scores the candidates, and all documents of segments that were not scanned, in steps of some documents. Undefined if
   * another document could be among the k best, and the plan must find it.
   */
  *rank(
    { candidates, candidatesFound, othersBound, counts }: FoundCandidates,
    firstStageMs: number,
  ): Generator<undefined, Ranking | undefined> {
    const { usesWholeQuery, rescores, usedEntries, wholeQuery } = this.#stages;
    const { plan, row } = this.#request;
    const start = performance.now();
    const best = yield* this.#findBest(candidates);
    const isProven = othersBound === Number.NEGATIVE_INFINITY || othersBound < best.threshold;
    if (!isProven && usesWholeQuery) {
      this.#ms += performance.now() - start;
      return undefined;
    }
    const isScanned = this.#segments.some((segment) => segment.isScanned);
    const ranked = rescores ? best.ranked() : yield* this.#withExactParts(best.ranked());
    return {
      ranked,
      stats: {
        plan: plan.kind,
        kernel: isScanned ? this.#kernel : "scalar",
        allowedCount: countAllowed(this.#segments),
        scored: this.#scored,
        candidates: candidatesFound,
        exact: rescores && counts.guessed === 0 && isProven,
        usedDims: usedEntries,
        queryDims: row.slices.length + (wholeQuery.semantic?.length ?? 0),
        scan: counts,
        firstStageMs,
        secondStageMs: this.#ms + performance.now() - start,
      },
    };
  }

  *#findBest(candidates: Candidates): Generator<undefined, BestDocuments> {
    const { k, rankedBy } = this.#stages;
    const best = new BestDocuments(k);
    const scorer = new LexicalScorer(rankedBy.query, this.#dims, rankedBy.isGated);
    try {
      for (const segment of this.#segments)
        if (!segment.isScanned) yield* this.#scoreAll(segment, scorer, best);
      // First, enough candidates for a threshold, in any order. Then the best first: each may raise it, and spare others.
      yield* this.#score(candidates.takeTop(best.spareCapacity), scorer, best);
      candidates.heapify();
      const atOnce = Math.max(LEAST_SCORED_TOGETHER, Math.round(k * SCORED_SHARE_OF_K));
      for (;;) {
        const docNumbers = candidates.take(Math.max(best.spareCapacity, atOnce), best.threshold);
        if (docNumbers.length === 0) return best;
        yield* this.#score(docNumbers, scorer, best);
      }
    } finally {
      scorer.release();
    }
  }

  *#scoreAll(
    segment: ScorableSegment,
    scorer: LexicalScorer,
    best: BestDocuments,
  ): Generator<undefined, void> {
    const { rowCount, allowed } = segment;
    // A filter may leave a few documents of many, so only those are looked at.
    const locals = allowed ? Uint32Array.from(allowed) : Uint32Array.from({ length: rowCount }, (_, i) => i);
    for (let from = 0; from < locals.length; from += STEP_DOCS) {
      this.#scoreIn(segment, locals.subarray(from, from + STEP_DOCS), scorer, best);
      yield;
    }
  }

  /** Scores documents of any segments, in ascending order. */
  *#score(docNumbers: Uint32Array, scorer: LexicalScorer, best: BestDocuments): Generator<undefined, void> {
    for (let from = 0; from < docNumbers.length; ) {
      const segment = segmentAt(this.#segments, docNumbers[from]);
      const end = segment.first + segment.rowCount;
      let to = from + 1;
      while (to < docNumbers.length && to < from + STEP_DOCS && docNumbers[to] < end) to++;
      const locals = docNumbers.subarray(from, to).map((doc) => doc - segment.first);
      this.#scoreIn(segment, locals, scorer, best);
      from = to;
      yield;
    }
  }

  /** Scores documents of one segment. */
  #scoreIn(segment: ScorableSegment, locals: Uint32Array, scorer: LexicalScorer, best: BestDocuments): void {
    const { lexical, semantic } = computeExactParts(segment, scorer, locals);
    this.#scored += locals.length;
    if (this.#request.isBoosted || this.#request.isReweighed) {
      this.#addWithAdditions(segment, locals, lexical, semantic, best);
      return;
    }
    for (let i = 0; i < locals.length; i++) {
      const score = lexical[i] + semantic[i];
      if (score < best.threshold || (score === 0 && !this.#acceptsScoreZero)) continue;
      best.add({ doc: segment.first + locals[i], score, lexical: lexical[i], semantic: semantic[i] });
    }
  }

  /** Offers documents with what is added to their scores. An addition changes the order of hits, and never adds a hit. */
  #addWithAdditions(
    { first, additions }: ScorableSegment,
    locals: Uint32Array,
    lexical: Float64Array,
    semantic: Float64Array,
    best: BestDocuments,
  ): void {
    const { leastBeforeAdditions = Number.NEGATIVE_INFINITY, isBoosted, isReweighed } = this.#request;
    for (let i = 0; i < locals.length; i++) {
      const scoreBeforeAdditions = lexical[i] + semantic[i];
      if (scoreBeforeAdditions < leastBeforeAdditions) continue;
      if (scoreBeforeAdditions === 0 && !this.#acceptsScoreZero) continue;
      const added = additions ? additionAt(additions, locals[i]) : 0;
      const score = scoreBeforeAdditions + added;
      if (score < best.threshold) continue;
      const parts = { doc: first + locals[i], score, lexical: lexical[i], semantic: semantic[i] };
      if (!isReweighed) {
        best.add({ ...parts, boost: added });
        continue;
      }
      const split = additionPartsAt(additions ?? [], locals[i]);
      const reweighed = { ...parts, lexical: lexical[i] + split.lexical };
      best.add(isBoosted ? { ...reweighed, boost: split.boost } : reweighed);
    }
  }

  /** Documents that the first stage ranked, with the parts of their exact scores. */
  *#withExactParts(ranked: readonly ScoredDoc[]): Generator<undefined, ScoredDoc[]> {
    const scorer = new LexicalScorer(this.#stages.wholeQuery, this.#dims);
    const shown: ScoredDoc[] = [];
    try {
      for (const { doc, ...scored } of ranked) {
        const segment = segmentAt(this.#segments, doc);
        const { lexical, semantic } = computeExactParts(segment, scorer, Uint32Array.of(doc - segment.first));
        const added = additionPartsAt(segment.additions ?? [], doc - segment.first).lexical;
        shown.push({ doc, ...scored, lexical: lexical[0] + added, semantic: semantic[0] });
        yield;
      }
    } finally {
      scorer.release();
    }
    return shown;
  }
}
