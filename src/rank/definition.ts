// A query and the rows of all documents → ranked documents, in one stage or two.

import type { QueryRow, Row, Rows } from "../densify/rows.ts";
import { UsageError } from "../errors.ts";
import { checkPlan, DEFAULT_CANDIDATES, type Plan } from "../query/plan.ts";
import { type Selected, select, weigh } from "../query/select.ts";
import { topK } from "../support/topk.ts";
import type { Scored } from "./best.ts";
import type { Kernel } from "./kernel.ts";
import { scalar, semanticScore } from "./scalar.ts";

export interface SearchRequest {
  readonly row: Row;
  /** The semantic part of the query, raw. */
  readonly vector?: Float32Array;
  /** Weight of the semantic part. */
  readonly lambda: number;
  readonly k: number;
  readonly plan: Plan;
  /** Document numbers that must not appear; others take their places. */
  readonly excluded?: ReadonlySet<number>;
}

/** What was done, and what it took. */
export interface SearchStats {
  readonly plan: Plan["kind"];
  readonly kernel: string;
  readonly docs: number;
  /** Documents whose exact score was computed. */
  readonly scored: number;
  /** Dimensions of the query that the first stage looked at, and that there are. */
  readonly usedDims: number;
  readonly queryDims: number;
  readonly firstStageMs: number;
  readonly secondStageMs: number;
}

export interface Ranking {
  readonly docs: Scored[];
  readonly stats: SearchStats;
}

/**
 * The k best documents. Without a semantic part a document that shares no cell with the query is no hit, so there
 * may be fewer than k.
 */
export async function search(rows: Rows, request: SearchRequest, kernel: Kernel = scalar): Promise<Ranking> {
  const { row, vector, lambda, k, excluded } = request;
  checkPlan(request.plan);
  if (request.plan.kind === "quantized")
    throw new UsageError("product codes need an engine", "choose another plan");
  const plan = request.plan.kind === "auto" ? ({ kind: "exact" } as const) : request.plan;
  const query = weigh(row, vector, lambda);
  const allowed = (doc: number) => !excluded?.has(doc);
  const start = performance.now();
  const scores = new Float64Array(rows.docs);
  const first = await firstStage(kernel, rows, { ...request, plan }, query, scores);
  const isHit = (score: number) => query.semantic !== undefined || score !== 0;
  const stats = {
    plan: plan.kind,
    kernel: kernel.name,
    docs: rows.docs,
    usedDims: first.lexicalDims + first.semanticDims,
    queryDims: row.slices.length + (query.semantic?.length ?? 0),
  };

  if (plan.kind === "exact" || plan.rescore === false) {
    const best = topK(scores, k, (doc) => allowed(doc) && isHit(scores[doc]));
    const docs = await inParts(kernel, query, rows, best, (doc) => scores[doc]);
    const scored = plan.kind === "exact" ? rows.docs : 0;
    return { docs, stats: { ...stats, scored, firstStageMs: performance.now() - start, secondStageMs: 0 } };
  }

  const candidates = topK(scores, plan.candidates ?? DEFAULT_CANDIDATES, allowed).sort();
  const middle = performance.now();
  const exact = new Float64Array(candidates.length);
  await kernel.gipOf(query, rows, candidates, exact);
  // Candidates are in document order, so that ties among them fall as they do among documents.
  const best = topK(exact, k, (i) => isHit(exact[i]));
  const exactOf = new Map(Array.from(best, (i) => [candidates[i], exact[i]]));
  const docs = await inParts(
    kernel,
    query,
    rows,
    Uint32Array.from(exactOf.keys()),
    (doc) => exactOf.get(doc)!,
  );
  const times = { firstStageMs: middle - start, secondStageMs: performance.now() - middle };
  return { docs, stats: { ...stats, scored: candidates.length, ...times } };
}

/** Each document's score with its two exact parts. */
async function inParts(
  kernel: Kernel,
  query: QueryRow,
  rows: Rows,
  docs: Uint32Array,
  scoreOf: (doc: number) => number,
): Promise<Scored[]> {
  const { semantic: _, ...lexicalQuery } = query;
  const lexical = new Float64Array(docs.length);
  await kernel.gipOf(lexicalQuery, rows, docs, lexical);
  return Array.from(docs, (doc, i) => ({
    doc,
    score: scoreOf(doc),
    lexical: lexical[i],
    semantic: semanticScore(query, rows, doc),
  }));
}

async function firstStage(
  kernel: Kernel,
  rows: Rows,
  { row, vector, lambda, plan }: SearchRequest,
  query: QueryRow,
  out: Float64Array,
): Promise<Selected> {
  const whole = { query, lexicalDims: row.slices.length, semanticDims: query.semantic?.length ?? 0 };
  if (plan.kind === "exact" || plan.kind === "auto") {
    await kernel.gip(query, rows, out);
    return whole;
  }
  if (plan.kind !== "pruned") {
    await kernel.innerProduct(query, rows, out);
    return whole;
  }
  const selection = plan.theta !== undefined ? { theta: plan.theta } : { mass: plan.mass! };
  const selected = select(row, vector, lambda, selection, plan.semanticSelection);
  await kernel.gip(selected.query, rows, out);
  return selected;
}
