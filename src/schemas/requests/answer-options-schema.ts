// The options of a search that shape its answer: what is counted, sorted, grouped and shown.

import { z } from "zod";
import { DEFAULT_SNIPPET_LENGTH, SNIPPET_BOUNDS } from "../../search/options/answer-options.ts";
import { DEFAULT_FACET_LIMIT, MOST_FACETS, MOST_VALUES } from "../../search/options/facet-options.ts";
import { wholeSchema } from "../shared/quantities.ts";
import { components } from "../shared/schema-names.ts";

const fieldName = z.string().min(1).describe("The name of a field, with dots if it is nested.");
const bound = z.union([z.string(), z.number()]).optional();

const facetRange = z
  .strictObject({ lt: bound, lte: bound, gt: bound, gte: bound })
  .describe("A range of values. All bounds must hold.")
  .meta({ minProperties: 1 })
  .refine((range) => Object.keys(range).length > 0, { error: "expected lt, lte, gt or gte" });

const facet = z
  .union([
    fieldName,
    z.strictObject({
      field: fieldName,
      limit: wholeSchema(1)
        .max(MOST_VALUES)
        .describe(
          `The most values to return; ${DEFAULT_FACET_LIMIT} by default. The most frequent come first.`,
        )
        .optional(),
      ranges: z
        .array(facetRange)
        .min(1)
        .max(MOST_VALUES)
        .describe("Count the documents of each range instead of the values.")
        .optional(),
    }),
  ])
  .register(components, { id: "FacetRequest" });

export const answerOptions = {
  match: z
    .enum(["any", "all"])
    .describe("Hits must hold at least one (`any`) or all (`all`) of the query's words.")
    .optional(),
  facets: z
    .array(facet)
    .max(MOST_FACETS)
    .meta({
      description: "Fields whose values, or ranges of values, are counted.",
      examples: [["year"], ["year", { field: "price", ranges: [{ lt: 10 }, { gte: 10 }] }]],
    })
    .optional(),
  total: z
    .boolean()
    .meta({ description: "Count the documents that match.", examples: [true] })
    .optional(),
  among: z
    .union([z.literal("filter"), wholeSchema(1)])
    .describe(
      "Which documents are counted and sorted: all that the filter accepts (`filter`), or this many of the best, which are then " +
        "the only hits. By default all that hold a word of the query; if meaning is searched, too, the best 1,000. The answer says which.",
    )
    .meta({ examples: ["filter", 1000] })
    .optional(),
  sort: z
    .union([
      fieldName,
      z.strictObject({
        field: fieldName,
        order: z
          .enum(["asc", "desc"])
          .describe("The smallest first, or the largest; `asc` by default.")
          .optional(),
      }),
    ])
    .meta({
      description: "Sort by a field instead of the score. Documents without a value come last.",
      examples: ["year", "year:desc", { field: "year", order: "desc" }],
    })
    .optional(),
  groupBy: fieldName
    .describe("Return only the best hit of all documents with the same value in this field.")
    .meta({ examples: ["kind"] })
    .optional(),
  snippets: z
    .union([
      z.boolean(),
      z.strictObject({
        length: wholeSchema(SNIPPET_BOUNDS.length.least)
          .max(SNIPPET_BOUNDS.length.most)
          .describe(
            `The length of a snippet in characters, more or less; ${DEFAULT_SNIPPET_LENGTH} by default.`,
          )
          .optional(),
        count: wholeSchema(SNIPPET_BOUNDS.count.least)
          .max(SNIPPET_BOUNDS.count.most)
          .describe("The most snippets of one text; 1 by default.")
          .optional(),
      }),
    ])
    .describe("Return the parts of title and text that hold the most of the query's words.")
    .meta({ examples: [true, { length: 200, count: 2 }] })
    .optional(),
};
