// A score with its two parts, and what each term of the query adds to it.

import { z } from "zod";
import { countSchema } from "./quantities.ts";

export const scoreSchema = z.object({
  score: z.number().describe("lexical + semantic."),
  lexical: z.number(),
  semantic: z.number().describe("The similarity of the vectors, times λ."),
});

export const matchedTermSchema = z.object({
  term: z.string(),
  slice: countSchema,
  index: countSchema,
  queryWeight: z.number(),
  documentWeight: z.number(),
  contribution: z.number(),
});
