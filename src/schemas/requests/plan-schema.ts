// How a search is carried out: one plan of five, each with its own options.

import { z } from "zod";
import { DEFAULT_CANDIDATES, PLAN_EXPECTED, PLAN_NAMES } from "../../query/plan/plan.ts";
import { SEMANTIC_SELECTIONS } from "../../query/plan/select-dimensions.ts";
import { formatCount } from "../../support/options/options.ts";
import { wholeSchema } from "../shared/quantities.ts";
import { MOST_REQUESTED_CANDIDATES } from "../shared/request-limits.ts";
import { components } from "../shared/schema-names.ts";

const candidates = wholeSchema(1)
  .max(MOST_REQUESTED_CANDIDATES)
  .describe(`How many documents the first stage passes on; ${formatCount(DEFAULT_CANDIDATES)} by default.`)
  .optional();
const rescore = z
  .boolean()
  .describe("False ranks by the score of the first stage. True by default.")
  .optional();

const pruned = z
  .strictObject({
    kind: z.literal("pruned"),
    theta: z.number().min(0).describe("`pruned`: the first stage uses query weights above this.").optional(),
    mass: z
      .number()
      .gt(0)
      .max(1)
      .describe("`pruned`: the first stage uses the heaviest weights that make up this share of the query.")
      .optional(),
    semanticSelection: z
      .enum(SEMANTIC_SELECTIONS)
      .describe(
        "`pruned`: which numbers of the vector the first stage uses; `positive` by default with `theta`, `magnitude` with " +
          "`mass`.",
      )
      .optional(),
    candidates,
    rescore,
  })
  .refine(({ theta, mass }) => (theta === undefined) !== (mass === undefined), {
    error: "a pruned plan takes either theta or mass",
  })
  .meta({ oneOf: [{ required: ["theta"] }, { required: ["mass"] }] });

const KIND =
  "`exact` returns what scoring every document would return. `auto` is faster, and may miss some of the last hits; `stats.exact` is then false. The others find candidates first.";

const anyPlan = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("auto").describe(KIND) }),
  z.strictObject({ kind: z.literal("exact") }),
  pruned,
  z.strictObject({ kind: z.literal("inner-product"), candidates, rescore }),
  z.strictObject({ kind: z.literal("quantized"), candidates }),
]);

/** A plan as a client writes it. A pruned plan has `theta` or `mass`, and not both. */
export type PlanRequest =
  | Exclude<z.infer<typeof anyPlan>, { readonly kind: "pruned" }>
  | (z.infer<typeof pruned> &
      (
        | { readonly theta: number; readonly mass?: never }
        | { readonly mass: number; readonly theta?: never }
      ));

// zod cannot infer what `refine` checks, so the type is given.
export const planSchema = z
  .union([z.enum(PLAN_NAMES), anyPlan as unknown as z.ZodType<PlanRequest, PlanRequest>], {
    error: `expected ${PLAN_EXPECTED}`,
  })
  .meta({
    description:
      "How to search. A plan other than `pruned` may be written as its name. `pruned` takes either `theta` or `mass`, which choose the query weights that the first stage uses.",
    examples: ["exact", { kind: "pruned", theta: 0.3, candidates: 1000 }],
  })
  .register(components, { id: "Plan" });
