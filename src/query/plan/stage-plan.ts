// A request → what both stages of a search do for it: the part of the query that the first stage uses, how it scores, how
// many candidates it passes on, and which score ranks them in the second stage.

import type { QueryRow, Row } from "../../densify/rows.ts";
import { DEFAULT_CANDIDATES, type Plan } from "./plan.ts";
import { applyLambda, selectDimensions } from "./select-dimensions.ts";

/** A query and how to answer it. */
export interface EngineRequest {
  readonly row: Row;
  /** The vector of the query, without λ. */
  readonly vector?: Float32Array | undefined;
  /**
   * Whether the index's encoder made the vector. Then a document whose score is 0 is not a hit. A vector that the caller gives
   * finds the nearest documents, whatever their scores.
   */
  readonly hasEncodedVector?: boolean;
  /** Weight of the semantic part. */
  readonly lambda: number;
  readonly k: number;
  readonly plan: Plan;
  /** Whether boosts or preferred phrases add to scores, so that hits have a `boost`. */
  readonly isBoosted?: boolean;
  /** Whether the text fields of documents have other weights than in rows. */
  readonly isReweighed?: boolean;
  /** Documents that score less, before anything is added to their scores, are not hits. By default there is no such limit. */
  readonly leastBeforeAdditions?: number;
}

/** Whether a request asks for meaning. Without a semantic part, a document must hold a word of the query. */
export function hasSemanticPart({ vector, lambda }: EngineRequest): boolean {
  return vector !== undefined && lambda > 0;
}

/**
 * Whether a document that scores 0 is a hit. It shares no term with the query. So it is a hit only if the caller gave a vector,
 * which is compared with every document. `wholeQuery` is the query of the request, λ included.
 */
export function acceptsScoreZero(wholeQuery: QueryRow, { hasEncodedVector }: EngineRequest): boolean {
  return wholeQuery.semantic !== undefined && !hasEncodedVector;
}

/**
 * How a first stage scores. `gated`: by the gated inner product. The others have the names of their plans. `inner-product`
 * ignores indices, and is never less than the gated one if weights are at least 0. `quantized` is an estimate from product codes.
 */
export type Scoring = "gated" | "inner-product" | "quantized";

/** What both stages do. The engine makes it once, and hands it to both. */
export interface StagePlan {
  /** The whole query, λ included. */
  readonly wholeQuery: QueryRow;
  /** The part of it that the first stage uses. */
  readonly scannedQuery: QueryRow;
  readonly scoring: Scoring;
  /** Whether that is the whole query. */
  readonly usesWholeQuery: boolean;
  /** How many hits are wanted. */
  readonly k: number;
  /** How many of the best documents by its own score the first stage finds and passes on. */
  readonly wantedCandidates: number;
  /** False: the first stage may drop documents by an estimate, and so miss one of the best in the rarest cases. */
  readonly isCertain: boolean;
  /**
   * Whether the second stage ranks by exact scores. False: the score of the first stage ranks, as in the paper's ablations, and
   * the second stage only adds the parts of the exact score.
   */
  readonly rescores: boolean;
  /** The query whose score ranks the candidates. */
  readonly rankedBy: { readonly query: QueryRow; readonly isGated: boolean };
  /** The part of that query that the first stage does not use; undefined if it uses all. */
  readonly leftOut: QueryRow | undefined;
  /** How many slots of the query, and entries of its vector, the first stage uses. */
  readonly usedEntries: number;
  /** Documents that score less, before anything is added, are not hits. Undefined if the first stage uses a part of the query. */
  readonly leastBeforeAdditions: number | undefined;
}

/** Plans both stages for a request. `allowedCount` is the number of documents that can be hits. */
export function planStages(request: EngineRequest, allowedCount: number): StagePlan {
  const { row, vector, lambda, k, plan, leastBeforeAdditions } = request;
  const query = applyLambda(row, vector, lambda);
  const allEntries = row.slices.length + (query.semantic?.length ?? 0);
  const unpruned = {
    wholeQuery: query,
    scannedQuery: query,
    scoring: "gated" as Scoring,
    usesWholeQuery: true,
    isCertain: true,
    rescores: !ranksByFirstStage(plan),
    k,
    wantedCandidates: k,
    leftOut: undefined,
    rankedBy: { query, isGated: true },
    usedEntries: allEntries,
    leastBeforeAdditions,
  };
  if (plan.kind === "exact") return unpruned;
  if (plan.kind === "auto") return { ...unpruned, isCertain: false };
  const wantedCandidates = Math.max(k, plan.candidates ?? DEFAULT_CANDIDATES);
  // If the first stage would pass on all documents, it is not needed.
  if (unpruned.rescores && allowedCount <= wantedCandidates) return unpruned;
  const inPart = { usesWholeQuery: false, leastBeforeAdditions: undefined };
  if (plan.kind === "quantized")
    return { ...unpruned, ...inPart, scoring: "quantized", wantedCandidates, leftOut: query };
  if (plan.kind === "inner-product") {
    const ungated: StagePlan = { ...unpruned, ...inPart, scoring: "inner-product" };
    return plan.rescore === false
      ? { ...ungated, rankedBy: { query, isGated: false } }
      : { ...ungated, wantedCandidates };
  }
  const selection = plan.theta !== undefined ? { theta: plan.theta } : { mass: plan.mass! };
  const selected = selectDimensions(row, vector, lambda, selection, plan.semanticSelection);
  const used = {
    ...inPart,
    scannedQuery: selected.query,
    usedEntries: selected.lexicalDims + selected.semanticDims,
  };
  if (used.usedEntries === allEntries) return unpruned;
  if (plan.rescore === false)
    return { ...unpruned, ...used, rankedBy: { query: selected.query, isGated: true } };
  return { ...unpruned, ...used, wantedCandidates, leftOut: subtractQuery(query, selected.query) };
}

/** Whether the score of the first stage is the final one. */
function ranksByFirstStage(plan: Plan): boolean {
  return (plan.kind === "pruned" || plan.kind === "inner-product") && plan.rescore === false;
}

/** A query without a selected part of it. */
function subtractQuery(query: QueryRow, selected: QueryRow): QueryRow {
  const kept = new Set(selected.slices);
  const left = [...query.slices.keys()].filter((i) => !kept.has(query.slices[i]));
  const { semantic } = query;
  return {
    slices: Uint32Array.from(left, (i) => query.slices[i]),
    indices: Uint16Array.from(left, (i) => query.indices[i]),
    values: Float32Array.from(left, (i) => query.values[i]),
    ...(semantic && { semantic: semantic.map((x, i) => x - (selected.semantic?.[i] ?? 0)) }),
  };
}
