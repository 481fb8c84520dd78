// A score with its two parts, and what each term of the query adds to it.

import { z } from "zod";
import { countSchema } from "../shared/quantities.ts";
import { termFieldSchema } from "./term-schema.ts";

export const scoreSchema = z.object({
  score: z.number().describe("lexical + semantic, and boost if there is one."),
  lexical: z.number(),
  semantic: z.number().describe("The similarity of the vectors, times λ: λ is in it already."),
});

export const boostSumSchema = z.number().describe("What boosts and preferred phrases add, all together.");

export const matchedTermSchema = z.object({
  term: z.string(),
  field: termFieldSchema,
  slice: countSchema,
  index: countSchema,
  queryWeight: z.number(),
  documentWeight: z.number(),
  contribution: z.number(),
  from: z.string().describe("The word of the query that was completed or corrected to this term.").optional(),
  queryFactor: z
    .number()
    .describe("What BM25's weight of the term in the query was multiplied by, if a side has factors.")
    .optional(),
  documentFactor: z
    .number()
    .describe("What BM25's weight of the term in the document was multiplied by, if a side has factors.")
    .optional(),
  bm25: z
    .number()
    .describe("What BM25 alone would add. Times the two factors, it is the contribution.")
    .optional(),
  fields: z
    .array(
      z.object({
        field: z.string(),
        count: countSchema.describe("How often the field has the term."),
        weight: z.number().describe("The weight of the field."),
        value: z.number().describe("Its share of the contribution."),
      }),
    )
    .describe(
      "What each text field adds, if the index has text fields. The values add up to the contribution.",
    )
    .optional(),
});
