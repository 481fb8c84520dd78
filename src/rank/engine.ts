// Queries and the segments of an index → ranked documents, on the CPU.
//
// All plans have the same two stages. A scan finds candidates: documents that may be among the best, each with an upper bound
// of its score. Then candidates are scored exactly, in float64, the highest bound first, until no other can be among the k
// best. If the scan used the whole query, the answer is exact. If it used a part of it (pruned), the rest has a bound, too,
// which often proves that the answer is exact.

import type { QueryRow } from "../densify/rows.ts";
import { UsageError } from "../errors.ts";
import { checkPlan } from "../query/plan.ts";
import { weigh } from "../query/select.ts";
import { Candidates } from "../scan/candidates.ts";
import { type Scanned, type ScanSegment, scanInSteps } from "../scan/scan-segments.ts";
import type { Scanner } from "../scan/scanner.ts";
import type { ScanPool } from "../scan/thread-pool.ts";
import { Turns } from "../support/turns.ts";
import { Best, type Scored } from "./best.ts";
import { ExactScores } from "./exact.ts";
import { ranksByFirstStage, type Stage, stageOf } from "./first-stage.ts";
import type { EngineRequest, Ranking } from "./request.ts";
import { type ExactVectors, type ExactWords, exactParts, type SearchSegment } from "./searched-segment.ts";

/** With at most this many documents to search, a segment is not scanned: all are scored exactly. */
export const FEW_DOCS = 256;

/** The most documents that are scored in one step. Rows on the disk take about 10 µs each. Larger: an abort waits longer. */
const STEP_DOCS = 1024;

/** The least candidates that are scored together once there is a threshold: four vectors are read at a time. */
const AT_ONCE = 4;
/** If many hits are wanted, this share of k is scored together: a call costs more than scoring a few documents too many. */
const AT_ONCE_OF_WANTED = 1 / 16;

export async function searchSegments(
  segments: readonly SearchSegment[],
  request: EngineRequest,
): Promise<Ranking> {
  return (await searchSegmentsForAll(segments, [request]))[0];
}

/** Searches for many queries at once. All of them read a window while it is in the processor's cache. */
export async function searchSegmentsForAll(
  segments: readonly SearchSegment[],
  requests: readonly EngineRequest[],
  pool?: ScanPool,
  turns = new Turns(),
): Promise<Ranking[]> {
  for (const { plan } of requests) checkPlan(plan);
  const searches: Search[] = [];
  for (const request of requests) {
    const all = Promise.all(segments.map((segment) => openSegment(segment, request)));
    // The first may have to load segments. After an abort the loading goes on, for the next search.
    searches.push(new Search(request, await (searches.length === 0 ? turns.until(all) : all)));
    if (turns.isDue) await turns.next();
  }
  // Bounds need weights of at least 0, so one query may scan segments that another does not.
  const together = searches.every((search) => search.scans === searches[0].scans);
  const start = performance.now();
  const scan = (some: readonly Search[]) => {
    const scanned = some[0].scanned;
    const asked = some.map(({ stage }) => stage);
    return pool ? pool.scan(scanned, asked, turns) : turns.run(scanInSteps(scanned, asked));
  };
  const scans = together
    ? await scan(searches)
    : await oneByOne(searches, async (search) => (await scan([search]))[0]);
  const firstStageMs = (performance.now() - start) / requests.length;
  const rankings: Ranking[] = [];
  for (const [i, search] of searches.entries()) {
    const ranking = turns.run(search.finish(scans[i], firstStageMs));
    rankings.push(ranking instanceof Promise ? await ranking : ranking);
    if (turns.isDue) await turns.next();
  }
  return rankings;
}

async function oneByOne<T, Result>(
  items: readonly T[],
  make: (item: T) => Promise<Result>,
): Promise<Result[]> {
  const made: Result[] = [];
  for (const item of items) made.push(await make(item));
  return made;
}

/** A segment, and what a search opened of it. */
interface Opened {
  readonly segment: SearchSegment;
  readonly words: ExactWords;
  readonly vectors: ExactVectors | undefined;
  /** Undefined: all documents are scored exactly, without a scan. */
  readonly scanner: Scanner | undefined;
  readonly live: number;
}

async function openSegment(segment: SearchSegment, { row, vector, plan }: EngineRequest): Promise<Opened> {
  const live = segment.allowed ? segment.allowed.count() : segment.docs;
  // Bounds need weights of at least 0; a query with others is scored without a scan.
  const scanned = live > FEW_DOCS && row.values.every((value) => value >= 0);
  const scanner = scanned ? await segment.scanner() : undefined;
  const [words, vectors] = await Promise.all([
    segment.words(scanner),
    vector ? segment.vectors(scanner) : undefined,
  ]);
  if (plan.kind === "quantized" && scanner && !scanner.hasCodes) {
    throw new UsageError("the index has no product codes", "build it with quantize, or choose another plan");
  }
  return { segment, live, words, vectors, scanner };
}

class Search {
  readonly #request: EngineRequest;
  readonly #opened: readonly Opened[];
  readonly stage: Stage;
  readonly #query: QueryRow;
  readonly #live: number;
  /** The slices of the widest segment. With a slice for every term, older segments have fewer. */
  readonly #dims: number;
  #scored = 0;

  constructor(request: EngineRequest, segments: readonly Opened[]) {
    this.#request = request;
    this.#opened = segments;
    this.#query = weigh(request.row, request.vector, request.lambda);
    this.#live = segments.reduce((sum, { live }) => sum + live, 0);
    // A query may have a slice that no segment has: that of a term which came into the vocabulary later.
    const asked = request.row.slices.reduce((most, slice) => Math.max(most, slice + 1), 1);
    this.#dims = segments.reduce((most, { segment }) => Math.max(most, segment.dims), asked);
    this.stage = stageOf(request, this.#query, this.#live);
  }

  /** Whether any segment is scanned. */
  get scans(): boolean {
    return this.#opened.some(({ scanner }) => scanner);
  }

  /** The segments that are scanned. */
  get scanned(): ScanSegment[] {
    return this.#opened.flatMap(({ segment: { first, allowed }, scanner }) =>
      scanner ? [{ scanner, first, allowed }] : [],
    );
  }

  /** The second stage: candidates → hits, in steps of some documents. */
  *finish(
    { candidates, floor: scanThreshold, counts }: Scanned,
    firstStageMs: number,
  ): Generator<undefined, Ranking> {
    const { k, plan } = this.#request;
    const start = performance.now();
    const { stage } = this;
    // Without a semantic part, documents that contain none of the terms are dropped, too.
    const dropped = Math.max(scanThreshold, stage.query.semantic ? Number.NEGATIVE_INFINITY : 0);
    const isWhole = !ranksByFirstStage(plan);
    const best = new Best(k);
    const found = candidates.size;
    const keepsAll = stage.asksAll || !isWhole;
    const chosen = keepsAll ? { best: candidates, next: dropped } : candidates.top(stage.wanted);
    // The most that other documents can score in the scan: those it dropped, and candidates beyond the wanted ones.
    const unseen = Math.max(dropped, chosen.next);
    const bounded = keepsAll ? chosen.best : yield* this.#boundByWholeQuery(chosen.best);
    const ranking = new ExactScores(stage.ranking.query, this.#dims, stage.ranking.gated);
    try {
      for (const segment of this.#opened) if (!segment.scanner) yield* this.#scoreAll(segment, ranking, best);
      // First, enough candidates for a threshold, in any order. Then the best first: each may raise it, and spare others.
      yield* this.#score(bounded.takeTop(best.room), ranking, best);
      bounded.rank();
      const atOnce = Math.max(AT_ONCE, Math.round(k * AT_ONCE_OF_WANTED));
      for (;;) {
        const docs = bounded.take(Math.max(best.room, atOnce), best.threshold);
        if (docs.length === 0) break;
        yield* this.#score(docs, ranking, best);
      }
    } finally {
      ranking.done();
    }
    const left = this.#mostAdded(stage.leftOut);
    const provesItself = stage.by !== "codes" && unseen + left < best.threshold;
    return {
      docs: isWhole ? best.ranked() : yield* this.#withWholeParts(best.ranked()),
      stats: {
        plan: plan.kind,
        kernel: this.scans ? "wasm" : "scalar",
        docs: this.#live,
        scored: this.#scored,
        candidates: found,
        exact: isWhole && counts.guessed === 0 && (stage.asksAll || provesItself),
        usedDims: stage.usedDims,
        queryDims: this.#request.row.slices.length + (this.#query.semantic?.length ?? 0),
        scan: counts,
        firstStageMs,
        secondStageMs: performance.now() - start,
      },
    };
  }

  /** Gives candidates upper bounds of their scores by the whole query. They must be in ascending order. */
  *#boundByWholeQuery({ docs }: Candidates): Generator<undefined, Candidates> {
    const bounded = new Candidates(docs.length);
    let from = 0;
    for (const { segment, scanner } of this.#opened) {
      const question = scanner?.prepare(this.#query);
      while (from < docs.length && docs[from] < segment.first + segment.docs) {
        let to = from + 1;
        while (to < docs.length && to < from + STEP_DOCS && docs[to] < segment.first + segment.docs) to++;
        if (scanner) {
          const locals = docs.subarray(from, to).map((doc) => doc - segment.first);
          const bounds = scanner.bounds(question!, locals);
          for (let i = from; i < to; i++) bounded.add(docs[i], bounds[i - from]);
          yield;
        }
        from = to;
      }
    }
    return bounded;
  }

  /** The most that a query can add to the score of any document. */
  #mostAdded(query: QueryRow | undefined): number {
    if (!query) return 0;
    return this.#opened.reduce((most, { scanner }) => Math.max(most, scanner?.most(query) ?? 0), 0);
  }

  *#scoreAll(opened: Opened, ranking: ExactScores, best: Best): Generator<undefined, void> {
    const { docs, allowed } = opened.segment;
    for (let from = 0; from < docs; from += STEP_DOCS) {
      const locals = Uint32Array.from({ length: Math.min(STEP_DOCS, docs - from) }, (_, i) => from + i);
      const live = allowed ? locals.filter((local) => allowed.get(local)) : locals;
      this.#scoreIn(opened, live, ranking, best);
      yield;
    }
  }

  /** Scores documents of any segments, in ascending order. */
  *#score(docs: Uint32Array, ranking: ExactScores, best: Best): Generator<undefined, void> {
    for (let from = 0; from < docs.length; ) {
      const opened = this.#opened[this.#segmentOf(docs[from])];
      const { first, docs: own } = opened.segment;
      let to = from + 1;
      while (to < docs.length && to < from + STEP_DOCS && docs[to] < first + own) to++;
      const locals = docs.subarray(from, to).map((doc) => doc - first);
      this.#scoreIn(opened, locals, ranking, best);
      from = to;
      yield;
    }
  }

  /** Scores documents of one segment. */
  #scoreIn(opened: Opened, locals: Uint32Array, ranking: ExactScores, best: Best): void {
    const { lexical, semantic } = exactParts(opened, ranking, locals);
    this.#scored += locals.length;
    for (let i = 0; i < locals.length; i++) {
      const score = lexical[i] + semantic[i];
      // A document that shares no term with the query is not a hit, unless vectors are compared, which all documents have.
      if (score < best.threshold || (score === 0 && !this.#query.semantic)) continue;
      best.add({ doc: opened.segment.first + locals[i], score, lexical: lexical[i], semantic: semantic[i] });
    }
  }

  /** Documents that the first stage ranked, with the parts of their exact scores. */
  *#withWholeParts(ranked: readonly Scored[]): Generator<undefined, Scored[]> {
    const whole = new ExactScores(this.#query, this.#dims);
    const shown: Scored[] = [];
    try {
      for (const { doc, score } of ranked) {
        const opened = this.#opened[this.#segmentOf(doc)];
        const { lexical, semantic } = exactParts(opened, whole, Uint32Array.of(doc - opened.segment.first));
        shown.push({ doc, score, lexical: lexical[0], semantic: semantic[0] });
        yield;
      }
    } finally {
      whole.done();
    }
    return shown;
  }

  #segmentOf(doc: number): number {
    let [low, high] = [0, this.#opened.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#opened[middle].segment.first <= doc) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
