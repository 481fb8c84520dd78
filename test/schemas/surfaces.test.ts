// A search has the same options, with the same names and defaults, wherever it is asked for. What is left out is listed here.

import { expect, test } from "vitest";
import { z } from "zod";
import type { Phrase } from "../../src/query/ask/clause.ts";
import { checkQuery, type Query } from "../../src/query/ask/query.ts";
import { PLAN_NAMES } from "../../src/query/plan/plan.ts";
import { answerOptions } from "../../src/schemas/requests/answer-options-schema.ts";
import { listRequestSchema } from "../../src/schemas/requests/list-request.ts";
import { querySchema } from "../../src/schemas/requests/query-schema.ts";
import { defaultsOf, searchOptions } from "../../src/schemas/requests/search-options-schema.ts";
import {
  explainQueryRequestSchema,
  explainRequestSchema,
  searchAllRequestSchema,
  searchRequestSchema,
} from "../../src/schemas/requests/search-requests.ts";
import {
  MOST_REQUESTED_CANDIDATES,
  MOST_TOOL_HITS,
  REQUEST_LIMITS,
} from "../../src/schemas/shared/request-limits.ts";
import { checkSearch } from "../../src/search/options/search-options.ts";
import { listParameters, searchParameters } from "../../src/server/routes/url-parameters.ts";
import { DEFAULT_LIMITS } from "../../src/server/wire/limits.ts";
import { explainInput } from "../../src/tools/explain-tool.ts";
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

test("a list", () => {
  const expected = { filter: undefined, limit: 100, after: undefined, fields: undefined };
  expect(defaultsOf(listRequestSchema)).toEqual(expected);
  expect(defaultsOf(listParameters)).toEqual(expected);
});

test.each([
  ["POST search", searchRequestSchema, { query: undefined, ...options }],
  ["POST search-all", searchAllRequestSchema, { queries: undefined, ...options }],
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
    explainRequestSchema,
    {
      query: undefined,
      id: undefined,
      ...only("lambda", "syntax", "boosts", "fieldWeights", "typos", "prefix", "synonyms", "highlight"),
    },
  ],
  [
    "POST explain-query",
    explainQueryRequestSchema,
    { query: undefined, ...only("lambda", "syntax", "typos", "prefix", "synonyms", "plan") },
  ],
] as [string, z.ZodObject, object][])("%s", (_, schema, expected) => {
  expect(defaultsOf(schema)).toEqual(expected);
});

const texts = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`);
const facetOf = (options: object) => ({ facets: [{ field: "year", ...options }] });

/** For each option with a range: values inside and outside of it. */
const RANGES: [string, Record<string, unknown>[], Record<string, unknown>[]][] = [
  ["k", [{ k: 0 }, { k: 1 }], [{ k: -1 }, { k: 1.5 }]],
  ["offset", [{ offset: 0 }], [{ offset: -1 }]],
  ["lambda", [{ lambda: 0 }, { lambda: 1e6 }], [{ lambda: -1 }, { lambda: 1e6 + 1 }]],
  [
    "boosts",
    [{ boosts: texts(16).map((field) => ({ field })) }],
    [{ boosts: texts(17).map((field) => ({ field })) }],
  ],
  [
    "boosts.weight",
    [{ boosts: [{ field: "a", weight: -1e6 }] }],
    [{ boosts: [{ field: "a", weight: 1e6 + 1 }] }],
  ],
  ["facets", [{ facets: texts(100) }], [{ facets: texts(101) }]],
  ["facets.limit", [facetOf({ limit: 10_000 })], [facetOf({ limit: 10_001 }), facetOf({ limit: 0 })]],
  [
    "facets.ranges",
    [facetOf({ ranges: texts(10_000).map((lt) => ({ lt })) })],
    [facetOf({ ranges: texts(10_001).map((lt) => ({ lt })) }), facetOf({ ranges: [] })],
  ],
  [
    "snippets.length",
    [{ snippets: { length: 20 } }, { snippets: { length: 10_000 } }],
    [{ snippets: { length: 19 } }, { snippets: { length: 10_001 } }],
  ],
  [
    "snippets.count",
    [{ snippets: { count: 100 } }],
    [{ snippets: { count: 101 } }, { snippets: { count: 0 } }],
  ],
  [
    "typos.oneEditFrom",
    [{ typos: { oneEditFrom: 1, twoEditsFrom: 64 } }],
    [{ typos: { oneEditFrom: 0 } }, { typos: { twoEditsFrom: 65 } }],
  ],
  ["typos.maxEdits", [{ typos: { maxEdits: 2 } }], [{ typos: { maxEdits: 3 } }, { typos: { maxEdits: 0 } }]],
  [
    "synonyms",
    [{ synonyms: texts(10_000).map((one) => [one, "b"]) }],
    [{ synonyms: texts(10_001).map((one) => [one, "b"]) }],
  ],
  ["fieldWeights", [{ fieldWeights: { a: 0 } }], [{ fieldWeights: { a: -1 } }]],
  [
    "plan",
    [...PLAN_NAMES.map((plan) => ({ plan })), { plan: { kind: "pruned", theta: 0 } }],
    [{ plan: "pruned" }, { plan: "fast" }, { plan: { kind: "pruned" } }],
  ],
  [
    "plan.candidates",
    [{ plan: { kind: "quantized", candidates: 10_000_000 } }],
    [{ plan: { kind: "quantized", candidates: 0 } }],
  ],
  [
    "plan.mass",
    [{ plan: { kind: "pruned", mass: 1 } }],
    [{ plan: { kind: "pruned", mass: 0 } }, { plan: { kind: "pruned", mass: 1.1 } }],
  ],
];

test.each(RANGES)("the range of %s is the same in the library and over HTTP", (_, inside, outside) => {
  const isTaken = (options: object) => {
    try {
      checkSearch(options, 1);
      return true;
    } catch {
      return false;
    }
  };
  const isParsed = (options: object) => searchRequestSchema.safeParse({ query: "gate", ...options }).success;
  for (const options of inside)
    expect([isTaken(options), isParsed(options)], JSON.stringify(options).slice(0, 80)).toEqual([true, true]);
  for (const options of outside)
    expect([isTaken(options), isParsed(options)], JSON.stringify(options).slice(0, 80)).toEqual([
      false,
      false,
    ]);
});

const phrase = (options: object) => ({ phrase: "new york", ...options });

/** For each part of a query with a range: queries inside and outside of it. */
const QUERY_RANGES: [string, Query[], unknown[]][] = [
  [
    "weights",
    [{ weights: { a: 0, b: 2000 } }, { weights: { a: 65_504 } }],
    [{ weights: { a: -1 } }, { weights: { a: 65_505 } }, { weights: { a: "1" } }],
  ],
  [
    "termFactors",
    [{ text: "a", termFactors: { a: 65_504 } }],
    [
      { text: "a", termFactors: { a: -1 } },
      { text: "a", termFactors: { a: 65_505 } },
    ],
  ],
  ["must", [{ must: texts(64) }], [{ must: texts(65) }, { must: "a" }]],
  ["mustNot", [{ text: "a", mustNot: texts(64) }], [{ text: "a", mustNot: texts(65) }]],
  ["prefer", [{ text: "a", prefer: texts(64) }], [{ text: "a", prefer: texts(65) }]],
  [
    "slop",
    [{ must: [phrase({ slop: 0 }), phrase({ slop: 100 })] as Phrase[] }],
    [{ must: [phrase({ slop: -1 })] }, { must: [phrase({ slop: 101 })] }, { must: [phrase({ slop: 0.5 })] }],
  ],
  [
    "prefer.weight",
    [{ text: "a", prefer: [phrase({ weight: -1e6 }), phrase({ weight: 1e6 })] as Phrase[] }],
    [
      { text: "a", prefer: [phrase({ weight: 1e6 + 1 })] },
      { text: "a", prefer: [phrase({ weight: -1e6 - 1 })] },
    ],
  ],
];

test.each(QUERY_RANGES)(
  "the range of a query's %s is the same in the library and over HTTP",
  (_, inside, outside) => {
    const isTaken = (query: unknown) => {
      try {
        checkQuery(query);
        return true;
      } catch {
        return false;
      }
    };
    const accepted = (query: unknown) => [isTaken(query), querySchema.safeParse(query).success];
    for (const query of inside) expect(accepted(query), JSON.stringify(query)).toEqual([true, true]);
    for (const query of outside) expect(accepted(query), JSON.stringify(query)).toEqual([false, false]);
  },
);

test("the limits of a request are the same over HTTP and for tools, except for the hits", () => {
  const { queryLength, offset, k } = REQUEST_LIMITS;
  expect(DEFAULT_LIMITS).toMatchObject(REQUEST_LIMITS);
  const isAsked = (input: object) => searchInput().safeParse({ query: "gate", ...input }).success;
  // A character may be two UTF-16 units.
  const longest = "𝕊".repeat(queryLength);
  expect([isAsked({ query: longest }), isAsked({ query: `${longest}x` })]).toEqual([true, false]);
  expect([isAsked({ offset }), isAsked({ offset: offset + 1 })]).toEqual([true, false]);
  expect([isAsked({ k: MOST_TOOL_HITS }), isAsked({ k: MOST_TOOL_HITS + 1 })]).toEqual([true, false]);
  expect(MOST_TOOL_HITS).toBeLessThan(k);
  const isPlanned = (candidates: number) =>
    searchRequestSchema.safeParse({ query: "gate", plan: { kind: "quantized", candidates } }).success;
  expect([isPlanned(MOST_REQUESTED_CANDIDATES), isPlanned(MOST_REQUESTED_CANDIDATES + 1)]).toEqual([
    true,
    false,
  ]);
  const explained = (query: string) => explainInput.safeParse({ query, id: "1" }).success;
  expect([explained(longest), explained(`${longest}x`)]).toEqual([true, false]);
  const { properties } = z.toJSONSchema(searchInput()) as { properties: Record<string, object> };
  expect(properties.query).toMatchObject({ maxLength: queryLength });
});
