// Queries and segments on a GPU → ranked documents, by the same plans as engine.ts. The GPU finds the best documents in
// float32; the CPU computes their scores again in float64. Rounding could make the GPU miss a document. So it is asked for
// more documents than wanted, and the score of the last one tells whether any other can be among the k best.

import type { QueryRow } from "../densify/rows.ts";
import { checkPlan } from "../query/plan.ts";
import { weigh } from "../query/select.ts";
import { emptyCounts } from "../scan/scan-counts.ts";
import type { Answer, DevicePlan, Question } from "../scan/webgpu/device-plan.ts";
import { type DeviceSearch, MOST_CANDIDATES, MOST_RESULTS } from "../scan/webgpu/device-search.ts";
import type { Bits } from "../support/bits.ts";
import { Turns } from "../support/turns.ts";
import { Best, type Scored } from "./best.ts";
import { ExactScores } from "./exact.ts";
import { ranksByFirstStage, type Stage, stageOf } from "./first-stage.ts";
import type { EngineRequest, Ranking } from "./request.ts";
import { type ExactVectors, type ExactWords, exactParts, type SearchSegment } from "./searched-segment.ts";

/** A segment whose rows are on a device. */
interface DeviceSegment extends SearchSegment {
  readonly resident: ResidentSegment;
}

/** The rows of one segment on a GPU. The filter is part of their state on the GPU, so searches run one after another. */
export class ResidentSegment {
  readonly #search: DeviceSearch;
  #allowed: Uint32Array | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(search: DeviceSearch) {
    this.#search = search;
  }

  ask(
    questions: readonly Question[],
    k: number,
    plan: DevicePlan,
    allowed: Bits | undefined,
    positive: boolean,
  ): Promise<Answer[]> {
    const run = this.#turn.then(() => {
      if (!isSame(this.#allowed, allowed?.words)) this.#search.rows.allow(allowed?.words);
      this.#allowed = allowed?.words;
      return this.#search.searchAll(questions, k, plan, { positive });
    });
    this.#turn = run.catch(() => {});
    return run;
  }
}

function isSame(a: Uint32Array | undefined, b: Uint32Array | undefined): boolean {
  return a === b || (!!a && !!b && a.length === b.length && a.every((word, i) => word === b[i]));
}

/** Why a GPU cannot answer a request; undefined if it can. */
export function notOnDevice({ row, plan, k }: EngineRequest): string | undefined {
  if (row.values.some((value) => value < 0)) return "weights below 0 are scored on the CPU";
  if (plan.kind === "quantized") return "product codes are read on the CPU";
  if (plan.kind === "inner-product" && plan.rescore === false) {
    return "an inner product without rescoring is ranked on the CPU";
  }
  if (withMargin(k) > MOST_RESULTS) return `a GPU ranks ${MOST_RESULTS} documents at most`;
  const candidates = "candidates" in plan ? (plan.candidates ?? 0) : 0;
  if (candidates > MOST_CANDIDATES) return `a GPU takes ${MOST_CANDIDATES} candidates at most`;
  return undefined;
}

/** How many documents to ask the GPU for: more than k, since float32 may swap neighbors around the k-th. */
function withMargin(k: number): number {
  return k + Math.max(32, k >> 3);
}

/** Searches for requests that have the same plan and the same k. Undefined for those that the GPU could not answer exactly. */
export async function searchDevice(
  segments: readonly DeviceSegment[],
  requests: readonly EngineRequest[],
  turns = new Turns(),
): Promise<(Ranking | undefined)[]> {
  for (const { plan } of requests) checkPlan(plan);
  const opened = await Promise.all(segments.map((segment) => openSegment(segment, requests)));
  const live = opened.reduce((sum, segment) => sum + segment.live, 0);
  const searches = requests.map((request) => new DeviceQuestion(request, opened, live));
  await askAll(searches, opened, withMargin(requests[0].k), turns);
  for (const search of searches) {
    // Many documents have nearly the same score: ask for more of them.
    for (let k = withMargin(search.k); search.mayLackDocs && k < MOST_RESULTS; ) {
      k = Math.min(4 * k, MOST_RESULTS);
      await askAll([search], opened, k, turns);
    }
  }
  return searches.map((search) => search.ranking());
}

interface Opened {
  readonly segment: DeviceSegment;
  readonly live: number;
  readonly words: ExactWords;
  readonly vectors: ExactVectors | undefined;
}

async function openSegment(segment: DeviceSegment, requests: readonly EngineRequest[]): Promise<Opened> {
  const [words, vectors] = await Promise.all([
    segment.words(undefined),
    requests.some(({ vector }) => vector) ? segment.vectors(undefined) : undefined,
  ]);
  return { segment, live: segment.allowed?.count() ?? segment.docs, words, vectors };
}

async function askAll(
  searches: readonly DeviceQuestion[],
  opened: readonly Opened[],
  wanted: number,
  turns: Turns,
): Promise<void> {
  // Requests with one plan can still differ: one may select all dimensions, another only some.
  for (const kind of new Set(searches.map(({ planKey }) => planKey))) {
    turns.signal?.throwIfAborted();
    const alike = searches.filter(({ planKey }) => planKey === kind);
    const start = performance.now();
    const answers = await Promise.all(
      opened.map(({ segment: { resident, allowed, docs } }) => {
        const questions = alike.map(({ question }) => question);
        return resident.ask(questions, Math.min(wanted, docs), alike[0].plan, allowed, alike[0].isPositive);
      }),
    );
    const ms = (performance.now() - start) / alike.length;
    for (const [i, search] of alike.entries()) {
      search.rescore(
        answers.map((some) => some[i]),
        wanted,
        ms,
      );
      if (turns.isDue) await turns.next();
    }
  }
}

class DeviceQuestion {
  readonly #request: EngineRequest;
  readonly #opened: readonly Opened[];
  readonly #live: number;
  readonly #query: QueryRow;
  readonly #stage: Stage;
  #best: Best;
  /** The most that documents which the GPU did not return can score. */
  #unseen = Number.POSITIVE_INFINITY;
  /** Whether the GPU says that its two stages missed no document. */
  #certified = false;
  #candidates = 0;
  #scored = 0;
  #firstStageMs = 0;
  #secondStageMs = 0;

  constructor(request: EngineRequest, opened: readonly Opened[], live: number) {
    this.#request = request;
    this.#opened = opened;
    this.#live = live;
    this.#query = weigh(request.row, request.vector, request.lambda);
    this.#stage = stageOf(request, this.#query, live);
    this.#best = new Best(request.k);
  }

  get k(): number {
    return this.#request.k;
  }

  get question(): Question {
    if (!this.#inStages) return { query: this.#stage.ranking.query };
    return { query: this.#query, ...(this.#stage.by === "gated" && { selected: this.#stage.query }) };
  }

  get plan(): DevicePlan {
    if (!this.#inStages) return { kind: "exact" };
    const by = this.#stage.by === "open" ? "inner-product" : "gated";
    return { kind: "stages", by, candidates: this.#stage.wanted };
  }

  get planKey(): string {
    return JSON.stringify(this.plan) + this.isPositive;
  }

  /** Whether a document must score above 0 to be a hit: so it is without a semantic part. */
  get isPositive(): boolean {
    return !this.#query.semantic;
  }

  /** Whether the answer must be exact, and may lack a document. */
  get mayLackDocs(): boolean {
    return !this.#inStages && !this.#hasAll;
  }

  /** Whether no other document can be among the k best: the GPU returned all, or the others score too little. */
  get #hasAll(): boolean {
    return this.#unseen === Number.NEGATIVE_INFINITY || this.#unseen < this.#best.threshold;
  }

  get #inStages(): boolean {
    return !this.#stage.asksAll && !ranksByFirstStage(this.#request.plan);
  }

  /** The second stage: computes the exact scores of the documents in the GPU's answers, one answer for each segment. */
  rescore(answers: readonly Answer[], wanted: number, ms: number): void {
    const start = performance.now();
    this.#firstStageMs += ms;
    this.#best = new Best(this.#request.k);
    this.#unseen = Number.NEGATIVE_INFINITY;
    this.#certified = answers.every(({ exact }) => exact);
    this.#candidates = answers.reduce((sum, { docs, candidates }) => sum + (candidates || docs.length), 0);
    const { ranking } = this.#stage;
    const scores = new ExactScores(ranking.query, this.#dims, ranking.gated);
    for (const [i, { docs, scores: found, error }] of answers.entries()) {
      // If the list is not full, there are no other documents.
      if (docs.length === Math.min(wanted, this.#opened[i].segment.docs)) {
        if (docs.length < this.#opened[i].live)
          this.#unseen = Math.max(this.#unseen, found[docs.length - 1] + error);
      }
      this.#score(this.#opened[i], docs.slice().sort(), scores);
    }
    scores.done();
    this.#secondStageMs += performance.now() - start;
  }

  ranking(): Ranking | undefined {
    if (this.mayLackDocs) return undefined;
    const { plan, row } = this.#request;
    const isWhole = !ranksByFirstStage(plan);
    const docs = this.#best.ranked();
    return {
      docs: isWhole ? docs : this.#withWholeParts(docs),
      stats: {
        plan: plan.kind,
        kernel: "webgpu",
        docs: this.#live,
        scored: this.#scored,
        candidates: this.#candidates,
        exact: isWhole && (!this.#inStages || (this.#certified && this.#hasAll)),
        usedDims: this.#stage.usedDims,
        queryDims: row.slices.length + (this.#query.semantic?.length ?? 0),
        scan: emptyCounts(),
        firstStageMs: this.#firstStageMs,
        secondStageMs: this.#secondStageMs,
      },
    };
  }

  get #dims(): number {
    const asked = this.#query.slices.reduce((most, slice) => Math.max(most, slice + 1), 1);
    return this.#opened.reduce((most, { segment }) => Math.max(most, segment.dims), asked);
  }

  #score(opened: Opened, locals: Uint32Array, ranking: ExactScores): void {
    const { lexical, semantic } = exactParts(opened, ranking, locals);
    this.#scored += locals.length;
    for (let i = 0; i < locals.length; i++) {
      const score = lexical[i] + semantic[i];
      if (score === 0 && this.isPositive) continue;
      this.#best.add({
        doc: opened.segment.first + locals[i],
        score,
        lexical: lexical[i],
        semantic: semantic[i],
      });
    }
  }

  /** Documents that the first stage ranked, with the parts of their exact scores. */
  #withWholeParts(docs: readonly Scored[]): Scored[] {
    const parts = new Map<number, Pick<Scored, "lexical" | "semantic">>();
    const whole = new ExactScores(this.#query, this.#dims);
    for (const opened of this.#opened) {
      const { first, docs: count } = opened.segment;
      const own = docs.filter(({ doc }) => doc >= first && doc < first + count);
      const locals = Uint32Array.from(own, ({ doc }) => doc - first).sort();
      const { lexical, semantic } = exactParts(opened, whole, locals);
      locals.forEach((local, i) => {
        parts.set(first + local, { lexical: lexical[i], semantic: semantic[i] });
      });
    }
    whole.done();
    return docs.map(({ doc, score }) => ({ doc, score, ...parts.get(doc)! }));
  }
}
