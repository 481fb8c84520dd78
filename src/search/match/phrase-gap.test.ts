import fc from "fast-check";
import { expect, test } from "vitest";
import { findPhraseGap, findPhraseGapByDefinition, type PhraseTermAt } from "./phrase-gap.ts";

/** Texts and phrases of few different words, so that words repeat. */
const word = fc.constantFrom("a", "b", "c", "the");
const text = fc.array(word, { maxLength: 9 });
const phrase = fc.array(word, { minLength: 1, maxLength: 4 });

/** The terms of a phrase in a text. "the" is a stop word: it has a place, and is no term. */
function termsAt(words: readonly string[], phrase: readonly string[]): PhraseTermAt[] {
  const lists = new Map<string, number[]>();
  words.forEach((each, position) => {
    lists.set(each, [...(lists.get(each) ?? []), position]);
  });
  const none: number[] = [];
  return phrase.flatMap((each, offset) =>
    each === "the" ? [] : [{ offset, positions: lists.get(each) ?? none }],
  );
}

test("the gap is that of the definition, for any slop", () => {
  let found = 0;
  fc.assert(
    fc.property(text, phrase, fc.integer({ min: 0, max: 6 }), (words, asked, slop) => {
      const terms = termsAt(words, asked);
      if (terms.length === 0) return;
      const gap = findPhraseGapByDefinition(terms);
      const expected = gap !== undefined && gap <= slop ? gap : undefined;
      found += Number(expected !== undefined);
      expect(findPhraseGap(terms, slop)).toBe(expected);
    }),
    { numRuns: 2000 },
  );
  expect(found).toBeGreaterThan(500);
});

test.each([
  ["a b", "a b", 0],
  ["a the b", "a b", 1],
  ["b a", "a b", 2], // two neighbors that changed places
  ["a", "a a", undefined], // a repeated word needs two places
  ["a c a", "a a", 1],
  ["a c b", "a the b", 0],
])("%s, asked for %s", (words, asked, gap) => {
  expect(findPhraseGap(termsAt(words.split(" "), asked.split(" ")), 10)).toBe(gap);
});
