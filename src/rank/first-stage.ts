// A plan and a query → what the first stage does: the part of the query it uses, how it scores, and how many candidates it
// passes on.

import type { QueryRow } from "../densify/rows.ts";
import { DEFAULT_CANDIDATES, type Plan } from "../query/plan.ts";
import { select } from "../query/select.ts";
import type { Scoring } from "../scan/scanner.ts";
import type { EngineRequest } from "./request.ts";

/** What the first stage does. */
export interface Stage {
  readonly query: QueryRow;
  /** How it scores. `open` is the inner product, never less than `gated` if weights are at least 0; `codes` estimate. */
  readonly by: Scoring;
  /** Whether `query` is the whole query. */
  readonly asksAll: boolean;
  /** How many documents it passes on. */
  readonly wanted: number;
  /** False: bounds may fail in the rarest cases. */
  readonly isCertain: boolean;
  /** The query whose exact score ranks the candidates. */
  readonly ranking: { readonly query: QueryRow; readonly gated: boolean };
  /** The part of the ranking query that the first stage does not use; undefined if it uses all. */
  readonly leftOut: QueryRow | undefined;
  readonly usedDims: number;
}

/** The first stage of a request. `query` is the whole query with λ; `live` is the number of documents that can be hits. */
export function stageOf(request: EngineRequest, query: QueryRow, live: number): Stage {
  const { row, vector, lambda, k, plan } = request;
  const usedDims = row.slices.length + (query.semantic?.length ?? 0);
  const whole = {
    query,
    by: "gated" as Scoring,
    asksAll: true,
    isCertain: true,
    wanted: k,
    leftOut: undefined,
    ranking: { query, gated: true },
    usedDims,
  };
  if (plan.kind === "exact") return whole;
  if (plan.kind === "auto") return { ...whole, isCertain: false };
  const wanted = Math.max(k, plan.candidates ?? DEFAULT_CANDIDATES);
  // If the first stage would pass on all documents, it is not needed.
  if (!ranksByFirstStage(plan) && live <= wanted) return whole;
  if (plan.kind === "quantized") return { ...whole, by: "codes", asksAll: false, wanted, leftOut: query };
  if (plan.kind === "inner-product") {
    const open: Stage = { ...whole, by: "open", asksAll: false };
    return plan.rescore === false ? { ...open, ranking: { query, gated: false } } : { ...open, wanted };
  }
  const selection = plan.theta !== undefined ? { theta: plan.theta } : { mass: plan.mass! };
  const selected = select(row, vector, lambda, selection, plan.semanticSelection);
  const used = {
    query: selected.query,
    asksAll: false,
    usedDims: selected.lexicalDims + selected.semanticDims,
  };
  if (used.usedDims === usedDims) return whole;
  if (plan.rescore === false) return { ...whole, ...used, ranking: { query: selected.query, gated: true } };
  return { ...whole, ...used, wanted, leftOut: difference(query, selected.query) };
}

/** Whether the score of the first stage is the final one, as in the paper's ablations. */
export function ranksByFirstStage(plan: Plan): boolean {
  return (plan.kind === "pruned" || plan.kind === "inner-product") && plan.rescore === false;
}

/** A query without a selected part of it. */
function difference(query: QueryRow, selected: QueryRow): QueryRow {
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
