// A request → what the first stage does for it: the part of the query it uses, how it scores, and how many candidates it
// passes on.

import type { QueryRow, Row } from "../densify/rows.ts";
import { DEFAULT_CANDIDATES, type Plan } from "./plan.ts";
import { select, weigh } from "./select.ts";

/** A query and how to answer it. */
export interface EngineRequest {
  readonly row: Row;
  /** The vector of the query, without λ. */
  readonly vector?: Float32Array;
  /** Weight of the semantic part. */
  readonly lambda: number;
  readonly k: number;
  readonly plan: Plan;
}

/**
 * How a first stage scores. `gated`: by the gated inner product. `open`: by the inner product, which ignores indices and is
 * never less if weights are at least 0. `codes`: by product codes, which are an estimate.
 */
export type Scoring = "gated" | "open" | "codes";

/** What the first stage does. */
export interface FirstStagePlan {
  /** The whole query, λ included. */
  readonly wholeQuery: QueryRow;
  /** The part of it that the first stage uses. */
  readonly query: QueryRow;
  readonly by: Scoring;
  /** Whether `query` is the whole query. */
  readonly usesWholeQuery: boolean;
  /** How many hits are wanted. */
  readonly k: number;
  /** How many of the best documents by its own score it finds and passes on. */
  readonly wanted: number;
  /** False: bounds may fail in the rarest cases. */
  readonly isCertain: boolean;
  /** False: its own score ranks the documents, as in the paper's ablations. The second stage then shows the exact parts only. */
  readonly rescores: boolean;
  /** The query whose score ranks the candidates. */
  readonly rankedBy: { readonly query: QueryRow; readonly gated: boolean };
  /** The part of that query that the first stage does not use; undefined if it uses all. */
  readonly leftOut: QueryRow | undefined;
  readonly usedDims: number;
}

/** What the first stage does for a request. `live` is the number of documents that can be hits. */
export function firstStagePlanOf(request: EngineRequest, live: number): FirstStagePlan {
  const { row, vector, lambda, k, plan } = request;
  const query = weigh(row, vector, lambda);
  const usedDims = row.slices.length + (query.semantic?.length ?? 0);
  const unpruned = {
    wholeQuery: query,
    query,
    by: "gated" as Scoring,
    usesWholeQuery: true,
    isCertain: true,
    rescores: !ranksByFirstStage(plan),
    k,
    wanted: k,
    leftOut: undefined,
    rankedBy: { query, gated: true },
    usedDims,
  };
  if (plan.kind === "exact") return unpruned;
  if (plan.kind === "auto") return { ...unpruned, isCertain: false };
  const wanted = Math.max(k, plan.candidates ?? DEFAULT_CANDIDATES);
  // If the first stage would pass on all documents, it is not needed.
  if (unpruned.rescores && live <= wanted) return unpruned;
  if (plan.kind === "quantized")
    return { ...unpruned, by: "codes", usesWholeQuery: false, wanted, leftOut: query };
  if (plan.kind === "inner-product") {
    const open: FirstStagePlan = { ...unpruned, by: "open", usesWholeQuery: false };
    return plan.rescore === false ? { ...open, rankedBy: { query, gated: false } } : { ...open, wanted };
  }
  const selection = plan.theta !== undefined ? { theta: plan.theta } : { mass: plan.mass! };
  const selected = select(row, vector, lambda, selection, plan.semanticSelection);
  const used = {
    query: selected.query,
    usesWholeQuery: false,
    usedDims: selected.lexicalDims + selected.semanticDims,
  };
  if (used.usedDims === usedDims) return unpruned;
  if (plan.rescore === false)
    return { ...unpruned, ...used, rankedBy: { query: selected.query, gated: true } };
  return { ...unpruned, ...used, wanted, leftOut: leftOutOf(query, selected.query) };
}

/** Whether the score of the first stage is the final one. */
function ranksByFirstStage(plan: Plan): boolean {
  return (plan.kind === "pruned" || plan.kind === "inner-product") && plan.rescore === false;
}

/** A query without a selected part of it. */
function leftOutOf(query: QueryRow, selected: QueryRow): QueryRow {
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
