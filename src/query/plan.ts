// How a search is carried out: one choice, not five switches.

import { UsageError } from "../errors.ts";
import {
  checkNumber,
  checkOptions,
  checkTruth,
  isObject,
  type KnownOptions,
  MOST_DOCS,
  shown,
  wrong,
} from "../support/options.ts";
import type { SemanticSelection } from "./select.ts";

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

const TWO_STAGES = { kind: true, candidates: true, rescore: true } as const;

/** What each plan is made of. */
const PARTS: { readonly [Kind in Plan["kind"]]: KnownOptions<Extract<Plan, { readonly kind: Kind }>> } = {
  auto: { kind: true },
  exact: { kind: true },
  pruned: { ...TWO_STAGES, theta: true, mass: true, semanticSelection: true },
  "inner-product": TWO_STAGES,
  quantized: { kind: true, candidates: true },
};

const SELECTIONS: readonly SemanticSelection[] = ["positive", "magnitude", "all"];

/** Refuses a plan that cannot be meant. */
export function checkPlan(plan: Plan): void {
  if (!isObject(plan)) throw wrong("plan", 'an object such as { kind: "exact" }', plan);
  if (!Object.hasOwn(PARTS, plan.kind)) {
    throw new UsageError(`there is no plan ${shown(plan.kind)}`, `one of ${Object.keys(PARTS).join(", ")}`);
  }
  checkOptions(plan, PARTS[plan.kind], `the plan "${plan.kind}"`);
  if (plan.kind === "exact" || plan.kind === "auto") return;
  checkNumber("candidates", plan.candidates, { least: 1, most: MOST_DOCS, isWhole: true });
  if ("rescore" in plan) checkTruth("rescore", plan.rescore);
  if (plan.kind !== "pruned") return;
  const { theta, mass, semanticSelection } = plan;
  if (semanticSelection !== undefined && !SELECTIONS.includes(semanticSelection))
    throw wrong("semanticSelection", `one of ${SELECTIONS.join(", ")}`, semanticSelection);
  if ((theta === undefined) === (mass === undefined)) {
    throw new UsageError("a pruned plan takes either theta or mass");
  }
  checkNumber("theta", theta, { least: 0 });
  if (mass !== undefined && !(typeof mass === "number" && mass > 0 && mass <= 1)) {
    throw new UsageError(`mass must be above 0 and at most 1, not ${shown(mass)}`);
  }
}
