// The terms that an analyzer makes word by word are those that it makes of the text.

import fc from "fast-check";
import { expect, test } from "vitest";
import { english } from "./analyzers/english.ts";
import { universal } from "./analyzers/universal.ts";
import { whitespace } from "./analyzers/whitespace.ts";
import { loadAnalyzer } from "./load-analyzer.ts";
import { wordTerms } from "./term-positions.ts";

const analyzers = [
  english,
  universal,
  whitespace,
  ...(await Promise.all(
    ["french", "german", "chinese", "japanese", "thai"].map((name) => loadAnalyzer(name)),
  )),
];

const PIECES = [
  ...["The locks", "e-mail", "x² and H₂O", "o'reilly's", "4,500.5", "U.S.A.", "l'école", "running  runs"],
  ...[
    "水門は",
    "ゲート",
    "한국어와 2020년에",
    "ประตูน้ำ",
    "Füße",
    "👍🏽",
    "a-b",
    "ﬁne",
    "\u00a0",
    "\n",
    "\ud800",
  ],
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "grapheme", maxLength: 12 })), {
    maxLength: 12,
  })
  .map((pieces) => pieces.join(" "));

test.each(analyzers.map((analyzer) => [analyzer.name, analyzer] as const))("%s", (_, analyzer) => {
  const { eachWord, termOf } = wordTerms(analyzer)!;
  fc.assert(
    fc.property(text, (given) => {
      const prepared = analyzer.prepare?.(given) ?? given;
      const terms: string[] = [];
      const add = (term: string) => {
        if (term !== "") terms.push(term);
      };
      eachWord(prepared, (start, end) => add(termOf(prepared.slice(start, end))), add);
      expect(terms).toEqual(analyzer.terms(given));
    }),
  );
});

test("an analyzer of the user's own is not counted word by word, whatever its fields are", () => {
  const own = { ...whitespace, name: "mine" };
  expect(wordTerms(own)).toBeUndefined();
});
