// The options of a search, with their defaults. They have the names that they have in the library. POST and GET searches and
// the tools of language models all take theirs from here.

import { z } from "zod";
import { fieldWeightsSchema } from "../shared/field-weights-schema.ts";
import { lambdaSchema, shareSchema, wholeSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";
import { answerOptions } from "./answer-options-schema.ts";
import { boostsSchema } from "./boost-schema.ts";
import { filterSchema } from "./filter-schema.ts";
import { pageOptions } from "./page-options.ts";
import { planSchema } from "./plan-schema.ts";
import { wordOptions } from "./word-options-schema.ts";

const lambda = lambdaSchema
  .describe("The weight of the semantic part; by default the index's own.")
  .meta({ examples: [12] });

/** The model is the server's: a request must not name folders. */
const rerank = z
  .strictObject({
    top: wholeSchema(1).describe("How many of the best hits to reorder; 50 by default.").optional(),
    mix: shareSchema
      .describe("From 0, the order of the search, to 1, that of the cross-encoder; 0.5 by default.")
      .optional(),
  })
  .describe(
    "Reorder the best hits by the cross-encoder that the server was started with. A server without one refuses it.",
  )
  .meta({ examples: [{ top: 50 }] })
  .register(components, { id: "Rerank" });

export const searchOptions = {
  k: pageOptions.k,
  offset: pageOptions.offset,
  plan: planSchema.default("auto"),
  lambda: lambda.optional(),
  syntax: z
    .boolean()
    .describe('Read operators in the text of the query: "new york", "new york"~2, +word, -word, field:value.')
    .default(false),
  filter: filterSchema.optional(),
  boosts: boostsSchema.optional(),
  fieldWeights: fieldWeightsSchema.optional(),
  exclude: z
    .array(z.string())
    .meta({ description: "Ids of documents that must not be hits.", examples: [["1", "2"]] })
    .optional(),
  minScore: pageOptions.minScore,
  ...wordOptions,
  rerank: rerank.optional(),
  ...answerOptions,
  fields: z
    .array(z.string())
    .describe("The fields of the documents to return: all by default, none for an empty list.")
    .meta({ examples: [["title", "year"]] })
    .optional(),
  highlight: z
    .boolean()
    .describe("Return where the words of the query occur in title and text, or in the index's text fields.")
    .default(false),
};

/** The names of the properties that a schema accepts, each with its default, or undefined where it has none. */
export function defaultsOf(schema: z.ZodObject): Record<string, unknown> {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input" }) as {
    properties?: Record<string, { default?: unknown }>;
  };
  return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, each.default]));
}
