// How a search is carried out: one choice, not five switches.

import { UsageError } from "../errors.ts";
import type { SemanticSelection } from "../kernel/select.ts";

/**
 * - `exact`: the k best by the gated inner product, for certain
 * - `pruned`: the same over the query's heavy dimensions alone, then the exact score of the best candidates
 * - `inner-product`: the inner product, indices ignored, then the exact score of the best candidates
 * - `quantized`: estimates from product codes, then the exact score of the best candidates; the index must have codes
 * - `auto`: the default; `exact`, except that where vectors have no common directions, or more than a hundred hits are
 *   wanted, some of the last may be missed, rarely, for the sake of speed; the answer says whether that may be so
 */
export type Plan =
  | { readonly kind: "auto" }
  | { readonly kind: "exact" }
  | ({ readonly kind: "pruned" } & Pruning & Candidates)
  | ({ readonly kind: "inner-product" } & Candidates)
  | ({ readonly kind: "quantized" } & Pick<Candidates, "candidates">);

/** Which dimensions are heavy: above θ, or the fewest that hold a share of the query's weight. Exactly one of the two. */
export interface Pruning {
  readonly theta?: number;
  readonly mass?: number;
  readonly semanticSelection?: SemanticSelection;
}

export interface Candidates {
  /** How many documents the first stage keeps; 10,000 in the paper and here. */
  readonly candidates?: number;
  /** False: rank by the score of the first stage, as the paper's ablations do. */
  readonly rescore?: boolean;
}

export const DEFAULT_CANDIDATES = 10_000;

const KINDS: readonly string[] = ["auto", "exact", "pruned", "inner-product", "quantized"];

/** Refuses a plan that cannot be meant. */
export function checkPlan(plan: Plan): void {
  if (plan.kind === "exact" || plan.kind === "auto") return;
  if (!KINDS.includes(plan.kind)) {
    throw new UsageError(`there is no plan ${JSON.stringify(plan.kind)}`, `one of ${KINDS.join(", ")}`);
  }
  const { candidates = DEFAULT_CANDIDATES } = plan;
  if (!Number.isInteger(candidates) || candidates < 1) {
    throw new UsageError(`candidates must be a whole number of at least 1, not ${candidates}`);
  }
  if (plan.kind !== "pruned") return;
  const { theta, mass } = plan;
  if ((theta === undefined) === (mass === undefined)) {
    throw new UsageError("a pruned plan takes either theta or mass");
  }
  if (theta !== undefined && !(theta >= 0 && Number.isFinite(theta))) {
    throw new UsageError(`theta must be a number of at least 0, not ${theta}`);
  }
  if (mass !== undefined && !(mass > 0 && mass <= 1)) {
    throw new UsageError(`mass must be above 0 and at most 1, not ${mass}`);
  }
}
