// What is searched for. The library also takes rows and typed arrays, which JSON does not have.

import { z } from "zod";
import { components } from "./schema-names.ts";

/**
 * The largest weight of a query term. A weight counts like that many occurrences of the term; multiplied by the largest
 * weight of a rare term, it must fit into a float16.
 */
const MAX_QUERY_WEIGHT = 1000;

const parts = z
  .strictObject({
    text: z.string().optional(),
    weights: z.record(z.string(), z.number().min(0).max(MAX_QUERY_WEIGHT)).optional(),
    vector: z.array(z.number()).optional(),
  })
  .refine((query) => Object.values(query).some((part) => part !== undefined))
  .meta({ minProperties: 1 });

export const querySchema = z
  .union([z.string(), parts], {
    error:
      "expected a text, or an object with text, weights (for each term a number from 0 to " +
      `${MAX_QUERY_WEIGHT}) or vector (numbers)`,
  })
  .meta({
    description:
      "A text, or weighted terms. An index that holds your own vectors, and has no encoder, needs a vector as well; " +
      "without one it answers by words only, and the answer has a `notice` that says so.",
    examples: ["a gate that controls the flow of water"],
  })
  .register(components, { id: "Query" });
