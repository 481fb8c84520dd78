// What is searched for. The library also takes rows and typed arrays, which JSON does not have.

import { z } from "zod";
import { expectedQuery, MOST_QUERY_WEIGHT } from "../../query/ask/query.ts";
import { components } from "../shared/schema-names.ts";
import { demandsShape } from "./clause-schema.ts";

const parts = z
  .strictObject({
    text: z.string().describe("What is searched for, in words.").optional(),
    weights: z
      .record(z.string(), z.number().min(0).max(MOST_QUERY_WEIGHT))
      .describe("Weights by term, instead of a text. A weight counts like that many occurrences of the term.")
      .optional(),
    termFactors: z
      .record(z.string(), z.number().min(0).max(MOST_QUERY_WEIGHT))
      .describe("Factors by term. They multiply the weights that BM25 gives the terms of the text.")
      .optional(),
    vector: z
      .array(z.number())
      .describe("Your own vector of the query, of the same width as those of the documents.")
      .optional(),
    like: z
      .string()
      .min(1)
      .describe("The id of a document. Finds documents like it; no other part may stand beside it.")
      .optional(),
    ...demandsShape,
  })
  .refine((query) => Object.values(query).some((part) => part !== undefined))
  .meta({ minProperties: 1 });

export const querySchema = z
  .union([z.string(), parts], {
    error: `expected ${expectedQuery()}; weights and factors are numbers from 0 to ${MOST_QUERY_WEIGHT}`,
  })
  .meta({
    description:
      "A text, or an object with parts: a text, weights, a vector, words and phrases that hits have, or `like`. An index of " +
      "your own vectors needs a vector; without one it answers by words alone, and the answer has the notice `words_only`.",
    examples: ["a gate that controls the flow of water"],
  })
  .register(components, { id: "Query" });
