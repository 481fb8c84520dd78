// The terms of a query, and what happened to each of them.

import { z } from "zod";
import { countSchema } from "./quantities.ts";
import { components } from "./schema-names.ts";

const term = z.object({
  term: z.string(),
  weight: z.number(),
  fate: z.enum(["kept", "outweighed", "discarded", "unknown", "weightless"]).meta({
    description:
      "`kept`: the term has a slot in the query's row; `outweighed`: a heavier term of the query (`by`) has its slot; " +
      "`discarded`: the slicing drops it; `unknown`: no document holds it; `weightless`: its weight is 0.",
  }),
  by: z.string().optional(),
  expanded: z.literal(true).describe("The encoder added the term.").optional(),
});

export const termSchema = term.register(components, { id: "Term" });

/** A term with its cell, and whether a plan uses it first. */
export const explainedTermSchema = z
  .object({
    ...term.shape,
    slice: countSchema.describe("The term's slice; absent when it has none.").optional(),
    index: countSchema.optional(),
    selected: z.boolean().describe("Whether the first stage of the plan uses the term."),
  })
  .register(components, { id: "ExplainedTerm" });
