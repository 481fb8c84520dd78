// The bodies of read requests. They are strict: an unknown property is refused.

import { z } from "zod";
import { components } from "../shared/schema-names.ts";
import { querySchema } from "./query-schema.ts";
import { searchOptions } from "./search-options-schema.ts";

const { lambda, plan, syntax, boosts, fieldWeights, highlight, typos, prefix, synonyms } = searchOptions;

export const searchRequestSchema = z
  .strictObject({ query: querySchema, ...searchOptions })
  .register(components, { id: "SearchRequest" });

export const searchAllRequestSchema = z
  .strictObject({
    queries: z.array(querySchema).min(1).describe("The queries. The answers have the same order."),
    ...searchOptions,
  })
  .register(components, { id: "SearchAllRequest" });

export const explainRequestSchema = z
  .strictObject({
    query: querySchema,
    id: z.string().min(1).describe("The id of the document."),
    lambda,
    syntax,
    boosts,
    fieldWeights,
    typos,
    prefix,
    synonyms,
    highlight,
  })
  .register(components, { id: "ExplainRequest" });

export const explainQueryRequestSchema = z
  .strictObject({ query: querySchema, lambda, syntax, typos, prefix, synonyms, plan })
  .register(components, { id: "ExplainQueryRequest" });

export type SearchRequest = z.input<typeof searchRequestSchema>;
export type SearchAllRequest = z.input<typeof searchAllRequestSchema>;
export type ExplainRequest = z.input<typeof explainRequestSchema>;
export type ExplainQueryRequest = z.input<typeof explainQueryRequestSchema>;
