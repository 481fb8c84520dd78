import fc from "fast-check";
import { expect, test } from "vitest";
import { english } from "../../src/analyze/analyzers/english.ts";
import { whitespace } from "../../src/analyze/analyzers/whitespace.ts";
import type { Analyzer } from "../../src/analyze/contract/analyzer.ts";
import type { QueryTerm } from "../../src/query/ask/query.ts";
import { createSnippets, MOST_READ } from "../../src/search/hits/snippets.ts";
import { Sluice } from "../../src/sluice.ts";

const kept = (term: string, weight = 1): QueryTerm => ({ term, weight, fate: "kept" });
const filler = "water flows on and on ".repeat(30);

const textsOf = (title: string, text: string) => [
  { field: "title", text: title },
  { field: "text", text },
];

test("shows the part with the heaviest words, with the words marked", () => {
  const text = `${filler}a gate ${filler}a lock raises boats ${filler}`;
  const terms = [kept("gate"), kept("lock", 2), kept("boat")];
  const [{ field, text: part, from, marks }] = createSnippets(english, terms, [{ field: "text", text }], {
    length: 80,
  });
  expect(field).toBe("text");
  expect(text.slice(from, from + part.length)).toBe(part);
  expect(marks.map((range) => part.slice(...range))).toEqual(["lock", "boats"]);
});

test("several parts are in the order of the text, and a part with nothing new is left out", () => {
  const text = `${filler}a gate ${filler}a lock ${filler}a gate ${filler}`;
  const parts = createSnippets(english, [kept("gate"), kept("lock", 2)], [{ field: "text", text }], {
    length: 60,
    count: 5,
  });
  expect(parts.flatMap(({ text, marks }) => marks.map((range) => text.slice(...range)))).toEqual([
    "gate",
    "lock",
  ]);
});

test("a title is there if it holds a word, and a text without words shows its beginning", () => {
  const terms = [kept("lock")];
  const snippets = createSnippets(english, terms, textsOf("Locks", filler), { length: 40 });
  expect(snippets[0]).toEqual({ field: "title", text: "Locks", from: 0, marks: [[0, 5]] });
  expect(snippets[1]).toMatchObject({ field: "text", from: 0, marks: [] });
  expect(filler.startsWith(`${snippets[1].text} `)).toBe(true);
  expect(createSnippets(english, terms, [{ field: "title", text: "Gates" }], {})).toEqual([]);
});

test("only the beginning of a very long text is read, however many words it holds", () => {
  let read = 0;
  const analyzer: Analyzer = {
    name: "counting",
    terms: (text) => whitespace.terms(text),
    eachTerm(text, emit) {
      read += text.length;
      for (const { 0: word, index } of text.matchAll(/\S+/g)) emit(word, index, index + word.length);
    },
  };
  const shownOf = (text: string) =>
    createSnippets(analyzer, [kept("lock"), kept("gate")], [{ field: "text", text }], {});
  const [word] = shownOf(`a lock ${"a".repeat(4_000_000)} gate`);
  expect(word.marks).toEqual([[2, 6]]);
  expect(read).toBeLessThanOrEqual(MOST_READ);
  const [many] = shownOf(`${"lock ".repeat(1_000_000)}gate`);
  expect(many.marks.length).toBeGreaterThan(20);
  expect(read).toBeLessThanOrEqual(2 * MOST_READ);
  const [late] = shownOf(`${"water ".repeat(MOST_READ / 8)}gate`);
  expect(late.text.slice(...late.marks[0])).toBe("gate");
});

test("parts never overlap, keep words whole, split no character, and mark only words of the query", () => {
  const word = fc.oneof(
    fc.constantFrom("lock", "gate", "canal"),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 9 }),
  );
  const options = fc.record({
    length: fc.integer({ min: 20, max: 90 }),
    count: fc.integer({ min: 1, max: 4 }),
  });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 80 }), options, (words, { length, count }) => {
      const text = words.join(" ");
      const snippets = createSnippets(
        whitespace,
        [kept("lock"), kept("gate", 2)],
        [{ field: "text", text }],
        {
          length,
          count,
        },
      );
      expect(snippets.length).toBeLessThanOrEqual(count);
      let end = 0;
      for (const { text: part, from, marks } of snippets) {
        expect(from).toBeGreaterThanOrEqual(end);
        end = from + part.length;
        expect(text.slice(from, end)).toBe(part);
        expect(part.length).toBeLessThanOrEqual(length);
        expect(part).not.toMatch(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/);
        for (const range of marks) expect(["lock", "gate"]).toContain(part.slice(...range).toLowerCase());
      }
      if (words.some((one) => one === "gate" || one === "lock"))
        expect(snippets.flatMap(({ marks }) => marks).length).toBeGreaterThan(0);
    }),
    { seed: 5, numRuns: 500 },
  );
});

test("a search gives them with every hit, also with groups and many queries", async () => {
  const documents = ["lock", "gate", "lock gate"].map((text, i) => ({
    id: `${i}`,
    text: `${filler}${text}`,
    n: i % 2,
  }));
  const index = await Sluice.build(documents, { encoder: "none" });
  const answers = await index.searchAll(["lock", "gate"], { snippets: true, groupBy: "n" });
  for (const { hits } of answers) {
    expect(hits.length).toBeGreaterThan(0);
    for (const { snippets } of hits) expect(snippets![0].marks).toHaveLength(1);
  }
  expect((await index.search("lock")).hits[0]).not.toHaveProperty("snippets");
});

test("other text fields are shown if a word of the query is in them", () => {
  const texts = [
    { field: "tags", text: "canal lock" },
    { field: "body", text: filler },
    { field: "notes", text: "no word of it" },
  ];
  const snippets = createSnippets(english, [kept("lock")], texts, { length: 40 });
  expect(snippets.map(({ field, marks }) => [field, marks.length])).toEqual([["tags", 1]]);
  // Without such a word, the first of them shows its beginning.
  const [first, ...others] = createSnippets(english, [kept("weir")], texts, { length: 40 });
  expect([first.field, first.marks, others]).toEqual(["tags", [], []]);
});
