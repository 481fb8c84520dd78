// A search has the same options, with the same names and defaults, wherever it is asked for. What is left out is listed here.

import { expect, test } from "vitest";
import { z } from "zod";
import { answerOptions } from "../../src/schemas/requests/answer-options-schema.ts";
import { defaultsOf, searchOptions } from "../../src/schemas/requests/search-options-schema.ts";
import {
  explainQueryRequest,
  explainRequest,
  searchAllRequest,
  searchRequest,
} from "../../src/schemas/requests/search-requests.ts";
import { searchParameters } from "../../src/server/routes/url-parameters.ts";
import { searchInput } from "../../src/tools/search-tool.ts";

const options = defaultsOf(z.strictObject(searchOptions));

const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)));
const only = (...names: string[]) => Object.fromEntries(names.map((name) => [name, options[name]]));

test("the options and their defaults", () => {
  expect(options).toEqual({
    k: 10,
    offset: 0,
    plan: "auto",
    lambda: undefined, // the index's own
    syntax: false,
    filter: undefined,
    boosts: undefined,
    fieldWeights: undefined, // the index's own
    exclude: undefined,
    minScore: undefined,
    typos: false,
    prefix: false,
    synonyms: undefined,
    rerank: undefined,
    match: undefined,
    facets: undefined,
    total: undefined,
    among: undefined, // matches, or the best 1,000 if meaning is searched, too
    sort: undefined,
    groupBy: undefined,
    snippets: undefined,
    fields: undefined, // all
    highlight: false,
  });
});

test.each([
  ["POST search", searchRequest, { query: undefined, ...options }],
  ["POST search-all", searchAllRequest, { queries: undefined, ...options }],
  ["GET search", searchParameters, { query: undefined, ...options }],
  // A model has no use for the others, and pays for every option.
  [
    "the search tool",
    searchInput(),
    {
      query: undefined,
      ...without(
        "plan",
        "lambda",
        "syntax",
        "boosts",
        "fieldWeights",
        "exclude",
        "typos",
        "prefix",
        "synonyms",
        "rerank",
        "fields",
        "highlight",
        ...Object.keys(answerOptions),
      ),
    },
  ],
  [
    "POST explain",
    explainRequest,
    {
      query: undefined,
      id: undefined,
      ...only("lambda", "syntax", "boosts", "fieldWeights", "typos", "prefix", "synonyms", "highlight"),
    },
  ],
  [
    "POST explain-query",
    explainQueryRequest,
    { query: undefined, ...only("lambda", "syntax", "typos", "prefix", "synonyms", "plan") },
  ],
] as [string, z.ZodObject, object][])("%s", (_, schema, expected) => {
  expect(defaultsOf(schema)).toEqual(expected);
});
