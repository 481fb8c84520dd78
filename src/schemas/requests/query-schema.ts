// What is searched for. The library also takes rows and typed arrays, which JSON does not have.

import { z } from "zod";
import { components } from "../shared/schema-names.ts";
import { demandsShape } from "./clause-schema.ts";

/**
 * The largest weight of a query term. A weight counts like that many occurrences of the term; multiplied by the largest
 * weight of a rare term, it must fit into a float16.
 */
const MAX_QUERY_WEIGHT = 1000;

const parts = z
  .strictObject({
    text: z.string().optional(),
    weights: z.record(z.string(), z.number().min(0).max(MAX_QUERY_WEIGHT)).optional(),
    termFactors: z
      .record(z.string(), z.number().min(0).max(MAX_QUERY_WEIGHT))
      .describe("Factors by term, which multiply BM25's weights of the text's terms.")
      .optional(),
    vector: z.array(z.number()).optional(),
    like: z
      .string()
      .min(1)
      .describe("The id of a document: finds documents like it. It goes alone.")
      .optional(),
    ...demandsShape,
  })
  .refine((query) => Object.values(query).some((part) => part !== undefined))
  .meta({ minProperties: 1 });

export const querySchema = z
  .union([z.string(), parts], {
    error:
      "expected a text, or an object with text, must, mustNot, prefer, weights (for each term a number from 0 to " +
      `${MAX_QUERY_WEIGHT}), vector (numbers) or like (an id)`,
  })
  .meta({
    description:
      "A text, or weighted terms. An index that holds your own vectors, and has no encoder, needs a vector as well; " +
      "without one it answers by words only, and the answer has a `notice` that says so.",
    examples: ["a gate that controls the flow of water"],
  })
  .register(components, { id: "Query" });
