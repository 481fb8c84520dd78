// The definition of a score and of a ranking. Every fast version is tested against it. The rows of all
// documents and a query come in; ranked documents come out. Keep it obvious; keep it slow.
//
// Sums are float64, in ascending slice order. Products of two float16 numbers are exact in float64, so the order hardly
// matters.

import type { QueryRow, Row, Rows } from "../densify/rows.ts";
import { checkPlan, DEFAULT_CANDIDATES } from "../query/plan/plan.ts";
import { applyLambda, selectDimensions } from "../query/plan/select-dimensions.ts";
import type { EngineRequest } from "../query/plan/stage-plan.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { FLOAT16 } from "../support/numbers/float16.ts";
import { topK } from "../support/numbers/topk.ts";
import type { ScoredDoc } from "./best-documents.ts";
import { dotFloat16 } from "./dot.ts";

/**
 * Gated inner product: Σ q.value·d.value over slots whose indices agree, plus the semantic part. With `docNumbers`, of these
 * documents alone.
 */
export function gatedInnerProducts(
  query: QueryRow,
  rows: Rows,
  docNumbers: ArrayLike<number> = everyDoc(rows),
): Float64Array {
  const slots = toAllSlices(query, rows.dims);
  return Float64Array.from(docNumbers, (doc) => gatedSum(slots, rows, doc) + semanticScore(query, rows, doc));
}

/** Inner product: Σ q.value·d.value over all slots, whatever their indices are, plus the semantic part. */
export function innerProducts(query: QueryRow, rows: Rows): Float64Array {
  const slots = toAllSlices(query, rows.dims);
  return Float64Array.from(
    everyDoc(rows),
    (doc) => ungatedSum(slots, rows, doc) + semanticScore(query, rows, doc),
  );
}

const everyDoc = ({ docs }: Rows) => Uint32Array.from({ length: docs }, (_, doc) => doc);

interface DefinitionRequest extends EngineRequest {
  /** Documents that must not be hits; others take their places. */
  readonly excluded?: ReadonlySet<number>;
}

interface DefinedRanking {
  readonly ranked: ScoredDoc[];
  readonly stats: {
    /** Documents whose exact score was computed. */
    readonly scored: number;
    /** Dimensions of the query that the first stage used, and all of them. */
    readonly usedDims: number;
    readonly queryDims: number;
  };
}

/**
 * The k best documents. A document whose score is 0 is not a hit, unless the query has a vector of the caller's own. So there may
 * be fewer than k.
 */
export function searchByDefinition(rows: Rows, request: DefinitionRequest): DefinedRanking {
  const { row, vector, lambda, k, plan, excluded } = request;
  checkPlan(plan);
  if (plan.kind === "quantized") throw new SluiceError("product codes need an engine", "choose another plan");
  const query = applyLambda(row, vector, lambda);
  const queryDims = row.slices.length + (query.semantic?.length ?? 0);
  const isAllowed = (doc: number) => !excluded?.has(doc);
  const hasOwnVector = query.semantic !== undefined && !request.hasEncodedVector;
  const isHit = (score: number) => score !== 0 || hasOwnVector;

  const { scores, usedDims } = firstStage(rows, request, query, queryDims);
  const isExact = plan.kind === "exact" || plan.kind === "auto";
  if (isExact || plan.rescore === false) {
    const best = topK(scores, k, (doc) => isAllowed(doc) && isHit(scores[doc]));
    const ranked = toScoredDocs(query, rows, best, (i) => scores[best[i]]);
    return { ranked, stats: { scored: isExact ? rows.docs : 0, usedDims, queryDims } };
  }

  // In document order: the lower of two equal candidates comes first.
  const candidates = topK(scores, plan.candidates ?? DEFAULT_CANDIDATES, isAllowed).sort();
  const exact = gatedInnerProducts(query, rows, candidates);
  const best = topK(exact, k, (i) => isHit(exact[i]));
  const ranked = toScoredDocs(
    query,
    rows,
    best.map((i) => candidates[i]),
    (i) => exact[best[i]],
  );
  return { ranked, stats: { scored: candidates.length, usedDims, queryDims } };
}

/** The scores of all documents by a plan's first stage, and how many dimensions of the query it uses. */
function firstStage(
  rows: Rows,
  { row, vector, lambda, plan }: DefinitionRequest,
  query: QueryRow,
  queryDims: number,
): { scores: Float64Array; usedDims: number } {
  if (plan.kind === "pruned") {
    const selection = plan.theta !== undefined ? { theta: plan.theta } : { mass: plan.mass! };
    const selected = selectDimensions(row, vector, lambda, selection, plan.semanticSelection);
    const usedDims = selected.lexicalDims + selected.semanticDims;
    return { scores: gatedInnerProducts(selected.query, rows), usedDims };
  }
  const scores = plan.kind === "inner-product" ? innerProducts(query, rows) : gatedInnerProducts(query, rows);
  return { scores, usedDims: queryDims };
}

/** Makes scored documents: each with its score, and with the two parts of its exact score. */
function toScoredDocs(
  query: QueryRow,
  rows: Rows,
  docNumbers: Uint32Array,
  scoreAt: (i: number) => number,
): ScoredDoc[] {
  const { semantic: _, ...lexicalQuery } = query;
  const lexical = gatedInnerProducts(lexicalQuery, rows, docNumbers);
  return Array.from(docNumbers, (doc, i) => ({
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

function toAllSlices(row: Row, dims: number): Slots {
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

function ungatedSum(query: Slots, rows: Rows, doc: number): number {
  let sum = 0;
  for (let i = rows.starts[doc]; i < rows.starts[doc + 1]; i++) {
    sum += query.values[rows.slices[i]] * FLOAT16[rows.values[i]];
  }
  return sum;
}
