// What a score is and what a search returns: the definition that everything fast is tested against. The rows of all
// documents and a query come in; ranked documents come out. Keep it obvious; keep it slow.
//
// Sums are float64, in ascending slice order. Products of two float16 numbers are exact in float64, so the order hardly
// matters.

import type { QueryRow, Row, Rows } from "../densify/rows.ts";
import { UsageError } from "../errors.ts";
import { checkPlan, DEFAULT_CANDIDATES } from "../query/plan.ts";
import { select, weigh } from "../query/select.ts";
import { FLOAT16 } from "../support/float16.ts";
import { topK } from "../support/topk.ts";
import type { Scored } from "./best.ts";
import { dotFloat16 } from "./dot.ts";
import type { EngineRequest } from "./request.ts";

/**
 * Scores a query against the rows of a block. A call is for a block, never for a document: then a CPU waits for a promise
 * once in thousands of rows, and a GPU can have the same contract.
 *
 * A first stage needs no method of its own. Its score is that of a smaller query (query/select.ts).
 */
export interface Kernel {
  readonly name: string;

  /** Gated inner product: out[doc] = Σ q.value·d.value over slots whose indices agree, plus the semantic part. */
  gip(query: QueryRow, rows: Rows, out: Float64Array): Promise<void>;

  /** Inner product: the same without looking at the indices. */
  innerProduct(query: QueryRow, rows: Rows, out: Float64Array): Promise<void>;

  /** GIP of some documents only: out[i] belongs to docs[i]. */
  gipOf(query: QueryRow, rows: Rows, docs: ArrayLike<number>, out: Float64Array): Promise<void>;
}

/** The definition of both products. */
export const scalar: Kernel = {
  name: "scalar",

  async gip(query, rows, out) {
    const slots = layOut(query, rows.dims);
    for (let doc = 0; doc < rows.docs; doc++) {
      out[doc] = gatedSum(slots, rows, doc) + semanticScore(query, rows, doc);
    }
  },

  async innerProduct(query, rows, out) {
    const slots = layOut(query, rows.dims);
    for (let doc = 0; doc < rows.docs; doc++) {
      out[doc] = openSum(slots, rows, doc) + semanticScore(query, rows, doc);
    }
  },

  async gipOf(query, rows, docs, out) {
    const slots = layOut(query, rows.dims);
    for (let i = 0; i < docs.length; i++) {
      out[i] = gatedSum(slots, rows, docs[i]) + semanticScore(query, rows, docs[i]);
    }
  },
};

export interface SearchRequest extends EngineRequest {
  /** Documents that must not be hits; others take their places. */
  readonly excluded?: ReadonlySet<number>;
}

interface DefinedRanking {
  readonly docs: Scored[];
  readonly stats: {
    /** Documents whose exact score was computed. */
    readonly scored: number;
    /** Dimensions of the query that the first stage used, and all of them. */
    readonly usedDims: number;
    readonly queryDims: number;
  };
}

/**
 * The k best documents. Without a semantic part, a document that shares no cell with the query is not a hit, so there may be
 * fewer than k.
 */
export async function search(rows: Rows, request: SearchRequest): Promise<DefinedRanking> {
  const { row, vector, lambda, k, plan, excluded } = request;
  checkPlan(plan);
  if (plan.kind === "quantized") throw new UsageError("product codes need an engine", "choose another plan");
  const query = weigh(row, vector, lambda);
  const queryDims = row.slices.length + (query.semantic?.length ?? 0);
  const isAllowed = (doc: number) => !excluded?.has(doc);
  const isHit = (score: number) => query.semantic !== undefined || score !== 0;

  const scores = new Float64Array(rows.docs);
  const usedDims = await firstStage(rows, request, query, queryDims, scores);
  const isExact = plan.kind === "exact" || plan.kind === "auto";
  if (isExact || plan.rescore === false) {
    const best = topK(scores, k, (doc) => isAllowed(doc) && isHit(scores[doc]));
    const docs = await withParts(query, rows, best, (i) => scores[best[i]]);
    return { docs, stats: { scored: isExact ? rows.docs : 0, usedDims, queryDims } };
  }

  // In document order, so that of two equal candidates the lower document comes first.
  const candidates = topK(scores, plan.candidates ?? DEFAULT_CANDIDATES, isAllowed).sort();
  const exact = new Float64Array(candidates.length);
  await scalar.gipOf(query, rows, candidates, exact);
  const best = topK(exact, k, (i) => isHit(exact[i]));
  const docs = await withParts(
    query,
    rows,
    best.map((i) => candidates[i]),
    (i) => exact[best[i]],
  );
  return { docs, stats: { scored: candidates.length, usedDims, queryDims } };
}

/** Scores all documents as a plan's first stage does. Returns how many dimensions of the query it uses. */
async function firstStage(
  rows: Rows,
  { row, vector, lambda, plan }: SearchRequest,
  query: QueryRow,
  queryDims: number,
  out: Float64Array,
): Promise<number> {
  if (plan.kind === "pruned") {
    const selection = plan.theta !== undefined ? { theta: plan.theta } : { mass: plan.mass! };
    const selected = select(row, vector, lambda, selection, plan.semanticSelection);
    await scalar.gip(selected.query, rows, out);
    return selected.lexicalDims + selected.semanticDims;
  }
  await (plan.kind === "inner-product"
    ? scalar.innerProduct(query, rows, out)
    : scalar.gip(query, rows, out));
  return queryDims;
}

/** Documents with their scores and the two parts of their exact scores. */
async function withParts(
  query: QueryRow,
  rows: Rows,
  docs: Uint32Array,
  scoreAt: (i: number) => number,
): Promise<Scored[]> {
  const { semantic: _, ...lexicalQuery } = query;
  const lexical = new Float64Array(docs.length);
  await scalar.gipOf(lexicalQuery, rows, docs, lexical);
  return Array.from(docs, (doc, i) => ({
    doc,
    score: scoreAt(i),
    lexical: lexical[i],
    semantic: semanticScore(query, rows, doc),
  }));
}

/** The semantic part of a document's score, λ included; 0 if the query has none. */
function semanticScore(query: QueryRow, rows: Rows, doc: number): number {
  return query.semantic ? dotFloat16(query.semantic, rows.semantic, doc * rows.semanticDims) : 0;
}

/** A query row over all slices: an empty slot has value 0. */
interface Slots {
  readonly values: Float64Array;
  readonly indices: Uint16Array;
}

function layOut(row: Row, dims: number): Slots {
  const slots = { values: new Float64Array(dims), indices: new Uint16Array(dims) };
  for (let i = 0; i < row.slices.length; i++) {
    slots.values[row.slices[i]] = row.values[i];
    slots.indices[row.slices[i]] = row.indices[i];
  }
  return slots;
}

function gatedSum(query: Slots, rows: Rows, doc: number): number {
  let sum = 0;
  for (let i = rows.starts[doc]; i < rows.starts[doc + 1]; i++) {
    const slice = rows.slices[i];
    if (query.indices[slice] === rows.indices[i]) sum += query.values[slice] * FLOAT16[rows.values[i]];
  }
  return sum;
}

function openSum(query: Slots, rows: Rows, doc: number): number {
  let sum = 0;
  for (let i = rows.starts[doc]; i < rows.starts[doc + 1]; i++) {
    sum += query.values[rows.slices[i]] * FLOAT16[rows.values[i]];
  }
  return sum;
}
