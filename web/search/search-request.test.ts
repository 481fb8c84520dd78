// The counts beside filters say what they are counts of.

import { expect, test, vi } from "vitest";
import type { SearchRequest } from "../../src/schemas/index.ts";
import { EMPTY } from "../address/address.ts";
import { askSearch, searchOf } from "./search-request.ts";

/** What the server is asked, and what it answers: counts of as many documents as `total` says. */
const asked = vi.hoisted(() => ({ requests: [] as SearchRequest[], total: 0 }));

vi.mock("../api/calls.ts", () => ({
  search: async (_: string, request: SearchRequest) => {
    asked.requests.push(request);
    const facets = (request.facets ?? []).map((facet) => ({
      field: (facet as { field: string }).field,
      docs: 1,
    }));
    return { hits: [], facets, among: "best", total: asked.total, stats: { allowedCount: 500 } };
  },
}));

const choices = [
  { value: "a", docs: 300 },
  { value: "b", docs: 200 },
];
const fields = [
  { name: "kind", docs: 500, choices },
  { name: "place", docs: 500, choices },
];
const index = { name: "things", fields, completes: false, isByMeaning: true };
const address = { ...EMPTY, query: "lock", filters: { kind: { in: ["a"] }, place: { in: ["b"] } } };

test("only documents with words: all of them are counted, not the best", () => {
  const { request, filterCounts: counts, wordCount: words } = searchOf(index, { ...address, match: "any" })!;
  for (const one of [request, ...counts]) expect([one.match, one.among]).toEqual(["any", undefined]);
  expect(words).toBeUndefined();
  const byWords = searchOf({ ...index, isByMeaning: false }, { ...address, match: "any" })!;
  expect([byWords.request.match, byWords.wordCount]).toEqual([undefined, undefined]);
});

test.each([
  [200, { countedBest: 200 }],
  [500, {}], // all are counted
])("of %i of 500 documents, each field is counted without its own filter", async (total, expected) => {
  Object.assign(asked, { requests: [], total });
  const { facets, withWords } = await askSearch(searchOf(index, address)!, new AbortController().signal);
  expect(facets).toEqual([
    { field: "kind", docs: 1, ...expected },
    { field: "place", docs: 1, ...expected },
  ]);
  expect(withWords).toBe(total);
  expect(asked.requests.map(({ filter }) => filter)).toEqual([
    { kind: { in: ["a"] }, place: { in: ["b"] } }, // how many have the words
    { kind: { in: ["a"] }, place: { in: ["b"] } },
    { place: { in: ["b"] } },
    { kind: { in: ["a"] } },
  ]);
});
