// A plan → what the first stage is asked, and what of the question it leaves out.

import type { QueryRow } from "../densify/rows.ts";
import { DEFAULT_CANDIDATES, type Plan } from "../query/plan.ts";
import { select } from "../query/select.ts";
import type { Scoring } from "../scan/scanner.ts";
import type { EngineRequest } from "./request.ts";

/** What a scan is asked. */
export interface Stage {
  readonly query: QueryRow;
  /** The inner product is never less than the gated one; codes only estimate it. */
  readonly by: Scoring;
  /** Whether it is the whole question. */
  readonly asksAll: boolean;
  /** Documents to be handed on. */
  readonly wanted: number;
  /** False: bounds that hold in all but the rarest cases will do. */
  readonly isCertain: boolean;
  /** The query whose exact score ranks the candidates. */
  readonly ranking: { readonly query: QueryRow; readonly gated: boolean };
  /** What the ranking query asks beyond the scan's: undefined when nothing. */
  readonly leftOut: QueryRow | undefined;
  readonly usedDims: number;
}

/** `query` is the whole question, weighed; `live` the documents there are. */
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
  // A first stage that hands everything on decides nothing.
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

/** As the paper's ablations do. */
export function ranksByFirstStage(plan: Plan): boolean {
  return (plan.kind === "pruned" || plan.kind === "inner-product") && plan.rescore === false;
}

/** What a query asks beyond a selected part of it. */
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
