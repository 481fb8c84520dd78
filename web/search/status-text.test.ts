// The line above the results says what it counts.

import { expect, test } from "vitest";
import type { SearchRequest } from "../../src/schemas/index.ts";
import type { CountedAnswer } from "./search-request.ts";
import { type CountedNoun, sentenceOf } from "./status-text.ts";

const best = { among: "best", total: 200, terms: [], stats: { allowedCount: 500 } };
const whole = { among: "best", total: 60, terms: [], stats: { allowedCount: 60 } };
const matches = { among: "matches", total: 57, terms: [], stats: { allowedCount: 57 } };
const corrected = { terms: [{ term: "lock", fate: "kept", weight: 1, from: "lokc", edits: 1 }] };

test.each([
  ["57 results", { ...matches }, {}, "document"],
  ["57 results, by year", { ...matches }, { sort: "year:desc" }, "document"],
  ["57 passages", { ...matches }, {}, "passage"],
  ["The best 10 of 500 documents. 57 have words of the query", { ...best, withWords: 57 }, {}, "document"],
  [
    "The best 10 of 500 documents. 57 have words of the corrected query",
    { ...best, ...corrected, withWords: 57 },
    {},
    "document",
  ],
  ["The best 10 of 500 documents. No document has its words", { ...best, withWords: 0 }, {}, "document"],
  ["10 of the best 200 documents, by year", { ...best }, { sort: "year" }, "document"],
  ["The best 10 of 22 groups of 57 results", { ...matches, groups: 22 }, {}, "document"],
  ["10 groups of 57 results, by year", { ...matches, groups: 10 }, { sort: "year" }, "document"],
  [
    "First 10 of 22 groups of the best 200 documents, by year",
    { ...best, groups: 22 },
    { sort: "year" },
    "document",
  ],
  [
    "The best 10 of 12 documents, with 60 passages. 1 has words of the query",
    { ...whole, groups: 12, withWords: 1 },
    {},
    "passage",
  ],
] as [string, object, Partial<SearchRequest>, CountedNoun][])("%s", (sentence, answer, request, noun) => {
  const hits = Array.from({ length: 10 }, (_, i) => ({ id: `${i}` }));
  const asked = { query: "lock", ...request };
  expect(sentenceOf({ hits, ...answer } as unknown as CountedAnswer, asked, noun)).toBe(sentence);
});

test("nothing found", () => {
  const none = { hits: [] } as unknown as CountedAnswer;
  expect(sentenceOf(none, { query: "x" }, "document")).toBe("No document of this index answers this.");
  expect(sentenceOf(none, { query: "x", filter: {} }, "document")).toMatch("that the filters allow");
  const reversed = { query: "x", filter: { kind: { in: ["a"] }, year: { gte: 2500, lte: 2000 } } };
  expect(sentenceOf(none, reversed, "document")).toBe(
    "Nothing can be found: the filter on year has “from” above “to”.",
  );
});
