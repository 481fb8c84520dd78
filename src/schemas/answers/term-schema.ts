// The terms of a query, and what happened to each of them.

import { z } from "zod";
import { countSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";

export const termFieldSchema = z
  .string()
  .describe("The only text field that the term counts in; absent if it counts in all.")
  .optional();

const term = z.object({
  term: z.string(),
  field: termFieldSchema,
  weight: z.number(),
  fate: z.enum(["kept", "outweighed", "discarded", "unknown", "weightless"]).meta({
    description:
      "`kept`: the term has a slot in the query's row; `outweighed`: a heavier term of the query (`by`) has its slot; " +
      "`discarded`: the slicing drops it; `unknown`: no document holds it; `weightless`: its weight is 0.",
  }),
  by: z.string().optional(),
  factor: z
    .number()
    .describe("What BM25's weight was multiplied by; absent if the query has no factors.")
    .optional(),
  expanded: z.literal(true).describe("The encoder added the term.").optional(),
  from: z
    .string()
    .describe(
      "The words of the query that this term stands for (a completion, a correction, a synonym), as typed.",
    )
    .optional(),
  edits: countSchema
    .describe("How many edits the correction took; 0 for a completion, absent for a synonym.")
    .optional(),
  alternatives: z
    .array(z.string())
    .describe(
      'The terms that this word was completed or corrected to; with `match: "all"` any of them will do.',
    )
    .optional(),
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
