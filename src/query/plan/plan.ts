// A plan says how a search is carried out. It is one choice of five, each with its own options.

import { SluiceError } from "../../support/errors/sluice-error.ts";
import {
  checkBoolean,
  checkNumber,
  checkOptions,
  isObject,
  type KnownOptions,
  MOST_DOCS,
  optionError,
  showValue,
  wrongValueError,
} from "../../support/options/options.ts";
import { SEMANTIC_SELECTIONS, type SemanticSelection } from "./select-dimensions.ts";

/**
 * - `exact`: the k best documents by the gated inner product, guaranteed
 * - `pruned`: finds candidates with the query's heavy dimensions only, then computes their exact scores
 * - `inner-product`: finds candidates by the inner product, which ignores indices, then computes their exact scores
 * - `quantized`: finds candidates with product codes, then computes their exact scores; the index must have codes
 * - `auto`: the default. Like `exact`, but faster in two cases: when vectors have no common directions, and when more than
 *   a hundred hits are wanted. Then it may rarely miss some of the last hits; `stats.exact` says whether it may have
 */
export type Plan =
  | { readonly kind: "auto" }
  | { readonly kind: "exact" }
  | ({ readonly kind: "pruned" } & PruningOptions & CandidateOptions)
  | ({ readonly kind: "inner-product" } & CandidateOptions)
  | ({ readonly kind: "quantized" } & Pick<CandidateOptions, "candidates">);

/** The name of a plan that needs no options: short for an object with this `kind`. */
export type PlanName = (typeof PLAN_NAMES)[number];

/** Which dimensions are heavy: those above `theta`, or the fewest that have the share `mass` of the query's weight. */
export type PruningOptions = { readonly semanticSelection?: SemanticSelection | undefined } & (
  | { readonly theta: number; readonly mass?: undefined }
  | { readonly mass: number; readonly theta?: undefined }
);

export interface CandidateOptions {
  /** How many documents the first stage passes on; 10,000 by default, as in the paper. */
  readonly candidates?: number | undefined;
  /** False: rank by the score of the first stage, as in the paper's ablations. */
  readonly rescore?: boolean | undefined;
}

/** The documents that a first stage passes on. More: slower, and fewer hits are missed. */
export const DEFAULT_CANDIDATES = 10_000;

const TWO_STAGES = { kind: true, candidates: true, rescore: true } as const;

/** The names of the options of each plan. */
export const PLAN_OPTIONS: {
  readonly [Kind in Plan["kind"]]: KnownOptions<Extract<Plan, { readonly kind: Kind }>>;
} = {
  auto: { kind: true },
  exact: { kind: true },
  pruned: { ...TWO_STAGES, theta: true, mass: true, semanticSelection: true },
  "inner-product": TWO_STAGES,
  quantized: { kind: true, candidates: true },
};

type KindWithoutOptions<Kind extends Plan["kind"]> = Kind extends unknown
  ? { readonly kind: Kind } extends Plan
    ? Kind
    : never
  : never;

/** The plans whose options are all optional, so that a name alone is a plan. */
export const PLAN_NAMES = [
  "auto",
  "exact",
  "inner-product",
  "quantized",
] as const satisfies readonly KindWithoutOptions<Plan["kind"]>[];

/** What a plan is, for errors. */
export const PLAN_EXPECTED = `${PLAN_NAMES.map((name) => JSON.stringify(name)).join(", ")}, or an object such as { "kind": "pruned", "theta": 0.3 }`;

/** The error about the plan `quantized` in an index without codes. */
export function noCodesError(): SluiceError {
  return new SluiceError("the index has no product codes", "build it with quantize, or choose another plan");
}

/** The plan as an object; `auto` by default. Throws if it is unknown, or has an option that is unknown or wrong. */
export function checkPlan(plan: Plan | PlanName = "auto"): Plan {
  const name = PLAN_NAMES.find((one) => one === plan);
  if (name !== undefined) return { kind: name };
  if (!isObject(plan)) throw wrongValueError("plan", PLAN_EXPECTED, plan);
  // A list with a name in it has the name as its property key.
  if (typeof plan.kind !== "string" || !Object.hasOwn(PLAN_OPTIONS, plan.kind)) {
    throw optionError(
      "plan",
      `there is no plan ${showValue(plan.kind)}`,
      `one of ${Object.keys(PLAN_OPTIONS).join(", ")}`,
    );
  }
  checkOptions(plan, PLAN_OPTIONS[plan.kind], `the plan "${plan.kind}"`);
  if (plan.kind === "exact" || plan.kind === "auto") return plan;
  checkNumber("plan.candidates", plan.candidates, { least: 1, most: MOST_DOCS, isWhole: true });
  if ("rescore" in plan) checkBoolean("plan.rescore", plan.rescore);
  if (plan.kind !== "pruned") return plan;
  const { theta, mass, semanticSelection } = plan;
  if (semanticSelection !== undefined && !SEMANTIC_SELECTIONS.includes(semanticSelection))
    throw wrongValueError(
      "plan.semanticSelection",
      `one of ${SEMANTIC_SELECTIONS.join(", ")}`,
      semanticSelection,
    );
  if ((theta === undefined) === (mass === undefined)) {
    throw optionError("plan", "a pruned plan takes either theta or mass");
  }
  checkNumber("plan.theta", theta, { least: 0 });
  if (mass !== undefined && !(typeof mass === "number" && mass > 0 && mass <= 1)) {
    throw wrongValueError("plan.mass", "above 0 and at most 1", mass);
  }
  return plan;
}
