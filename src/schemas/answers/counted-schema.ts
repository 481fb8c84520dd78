// What an answer counts, and the parts of texts that it shows.

import { z } from "zod";
import { countSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";

const bound = z.union([z.string(), z.number()]).optional();

const facet = z
  .object({
    field: z.string(),
    docs: countSchema.describe("Documents that have a value in the field."),
    values: z
      .array(z.object({ value: z.union([z.string(), z.number(), z.boolean()]), docs: countSchema }))
      .describe("The most frequent first.")
      .optional(),
    distinct: countSchema.describe("How many distinct values there are.").optional(),
    ranges: z
      .array(z.object({ lt: bound, lte: bound, gt: bound, gte: bound, docs: countSchema }))
      .describe("In the order of the request.")
      .optional(),
  })
  .register(components, { id: "Facet" });

export const countedAnswerSchema = {
  among: z
    .enum(["matches", "filter", "best"])
    .describe(
      "Which documents were counted and sorted: those that hold words of the query, all that the filter accepts, or the " +
        "best by score.",
    )
    .optional(),
  total: countSchema.describe("How many documents these are.").optional(),
  groups: countSchema
    .describe(
      "With `groupBy`: how many groups these documents are in. A document without a value is one of its own.",
    )
    .optional(),
  facets: z.array(facet).optional(),
};

const range = z.tuple([countSchema, countSchema]);

export const snippetSchema = z
  .object({
    field: z.string().describe("`title`, `text`, or another text field of the index."),
    text: z.string(),
    from: countSchema.describe("Where the part begins in the field, in UTF-16 units."),
    marks: z.array(range).describe("Where words of the query occur in the part: [start, end), in order."),
  })
  .register(components, { id: "Snippet" });
