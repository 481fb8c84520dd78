// The options of a search, with their defaults. They have the names that they have in the library. POST and GET searches and
// the tools of language models all take theirs from here.

import { z } from "zod";
import { filterSchema } from "./filter-schema.ts";
import { pageOptions } from "./page-options.ts";
import { planSchema } from "./plan-schema.ts";
import { shareSchema, wholeSchema } from "./quantities.ts";
import { components } from "./schema-names.ts";

/** The same range as in the library. */
const lambda = z
  .number()
  .min(0)
  .max(1e6)
  .describe("The weight of the semantic part; by default the index's own.");

/** The model is the server's: a request must not name folders. */
const rerank = z
  .strictObject({
    top: wholeSchema(1).describe("How many of the best hits to order anew; 50 by default.").optional(),
    mix: shareSchema
      .describe("From 0, the order of the search, to 1, that of the model; 0.5 by default.")
      .optional(),
  })
  .describe(
    "Order the best hits anew, by the model that the server was started with. A server without one refuses it.",
  )
  .register(components, { id: "Rerank" });

export const searchOptions = {
  k: pageOptions.k,
  offset: pageOptions.offset,
  plan: planSchema.default({ kind: "auto" }),
  lambda: lambda.optional(),
  filter: filterSchema.optional(),
  exclude: z.array(z.string()).describe("Ids of documents that must not be hits.").optional(),
  minScore: pageOptions.minScore,
  rerank: rerank.optional(),
  fields: z
    .array(z.string())
    .describe("The fields of the documents to return: all by default, none for an empty list.")
    .optional(),
  highlight: z
    .boolean()
    .describe("Return where the words of the query occur in title and text.")
    .default(false),
};

/** The names of the properties that a schema accepts, each with its default, or undefined where it has none. */
export function defaultsOf(schema: z.ZodObject): Record<string, unknown> {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input" }) as {
    properties?: Record<string, { default?: unknown }>;
  };
  return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, each.default]));
}
