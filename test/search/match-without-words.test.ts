// A query without words has no hits with `match`, and counts nothing: a document that holds all words holds one.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Query, type SearchOptions, Sluice } from "../../src/index.ts";

const DOCUMENTS = [
  { id: "a", title: "First", text: "the canal", kind: "x" },
  { id: "b", title: "Second", text: "a boat", kind: "y" },
];
const COUNTING = { total: true, facets: ["kind"] } as const;

const QUERIES: [Query, SearchOptions][] = [
  ["", {}],
  ["the", {}],
  ["the of a", {}],
  ["-boat", { syntax: true }],
  ["kind:x", { syntax: true }],
  ["+the", { syntax: true }],
  [{ text: "the", must: ["canal"] }, {}],
  [{ text: "", prefer: ["the canal"] }, {}],
];

describe.each([
  ["by words", { encoder: "none", positions: true }],
  ["by words of text fields", { encoder: "none", positions: true, fieldWeights: { title: 2, text: 1 } }],
  ["by meaning, too", { positions: true }],
] as const)("%s", (_, settings) => {
  let index: Sluice;
  beforeAll(async () => {
    index = await Sluice.build(DOCUMENTS, settings);
  });
  afterAll(() => index.close());

  test.each(QUERIES)("%j with %j counts nothing", async (query, options) => {
    for (const match of ["all", "any"] as const) {
      const { hits, total, facets } = await index.search(query, { ...options, ...COUNTING, match });
      expect([match, hits.length, total]).toEqual([match, 0, 0]);
      expect(facets).toEqual([{ field: "kind", docs: 0, values: [], distinct: 0 }]);
      expect((await index.search(query, { ...options, match })).hits).toEqual([]);
    }
  });

  test("words are counted as before, stop words beside them or not", async () => {
    for (const query of ["canal", "the canal"]) {
      const { hits, total } = await index.search(query, { ...COUNTING, match: "all" });
      expect([hits.map(({ id }) => id), total]).toEqual([["a"], 1]);
    }
  });

  test("`among` counts what the filter accepts, whatever the query is", async () => {
    const { hits, total } = await index.search("the", { ...COUNTING, match: "all", among: "filter" });
    expect([hits.length, total]).toEqual([0, 2]);
  });
});

test("the term of a row counts as a word", async () => {
  const index = await Sluice.build([{ id: "a", weights: { canal: 1 } }], { lexical: "weights" });
  for (const query of [{ weights: { canal: 1 } }, { like: "a" }])
    expect((await index.search(query, { match: "all", total: true })).total).toBe(query.like ? 0 : 1);
  await index.close();
});
