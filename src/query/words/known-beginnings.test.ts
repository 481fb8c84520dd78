import { expect, test } from "vitest";
import { definitions } from "../../../demo/wordnet.ts";
import { english, universal } from "../../analyze/index.ts";
import { Vocabulary } from "../../densify/vocabulary.ts";
import { SortedTerms } from "./sorted-terms.ts";

/** All words of a dictionary, in lower case. */
const WORDS = [
  ...new Set(
    [...definitions()].flatMap(({ text, words }) => `${words} ${text}`.toLowerCase().match(/[a-z]+/g)!),
  ),
];

test.each([english, universal])("no word whose term is known is left out: $name", (analyzer) => {
  // Every second term is known.
  const terms = [...new Set(WORDS.flatMap((word) => analyzer.terms(word)))].filter((_, i) => i % 2 === 0);
  const vocabulary = new Vocabulary(terms);
  const { beginnings } = new SortedTerms(vocabulary);
  const known = WORDS.filter((word) =>
    analyzer.terms(word).some((term) => vocabulary.findId(term) !== undefined),
  );
  expect(known.length).toBeGreaterThan(20_000);
  const leftOut = known.filter((word) => !beginnings.mayHave(word));
  // Long words with a term of three letters, such as "witnesses".
  expect(leftOut.length).toBeLessThan(known.length / 2000);
});

test("words that begin as no term does are left out", () => {
  const { beginnings } = new SortedTerms(new Vocabulary(["canal", "univers", "lock", "𝒳𝒳𝒳𝒳", ""]));
  for (const word of [
    "canal",
    "canals",
    "canalization",
    "universities",
    "lock",
    "locks",
    "lockkeepers",
    "𝒳𝒳𝒳𝒳𝒳",
  ])
    expect([word, beginnings.mayHave(word)]).toEqual([word, true]);
  for (const word of ["cxnalization", "unxversities", "universxities", "xlockkeeper"])
    expect([word, beginnings.mayHave(word)]).toEqual([word, word === "universxities"]);
});
