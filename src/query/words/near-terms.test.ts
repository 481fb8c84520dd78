import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Vocabulary } from "../../densify/vocabulary.ts";
import { editsBetween } from "../../support/numbers/edits.ts";
import { findNearTerms, type NearKind } from "./near-terms.ts";
import { SortedTerms, toCodePoints } from "./sorted-terms.ts";
import { LONGEST_WORD } from "./terms-of-length.ts";

/** Few letters, so that words are often near: Latin, accents, Greek, Thai, Han, and pairs of surrogates. */
const letter = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "b") },
  { weight: 1, arbitrary: fc.constantFrom("é", "σ", "ก", "水", "𝒳", "🛶", "\ue000") },
);
const word = fc.array(letter, { maxLength: 9 }).map((letters) => letters.join(""));
const long = fc
  .array(letter, { minLength: LONGEST_WORD - 3, maxLength: LONGEST_WORD + 8 })
  .map((l) => l.join(""));
const anyWord = fc.oneof({ weight: 9, arbitrary: word }, { weight: 1, arbitrary: long });

/** Half of the words are terms with a letter more or less, so that they are near. */
const vocabularyAndWord = fc
  .tuple(fc.uniqueArray(anyWord, { minLength: 1, maxLength: 60 }), anyWord, fc.nat(), fc.boolean(), letter)
  .map(([terms, other, at, isNear, added]) => {
    const letters = [...terms[at % terms.length]];
    letters.splice(at % (letters.length + 1), at % 2, added);
    return { terms, typed: isNear ? letters.join("") : other };
  });

const beginnings = (letters: readonly string[]) =>
  Array.from({ length: letters.length + 1 }, (_, length) => letters.slice(0, length));

/** The definition: compares a word with one term, as a kind says. */
function editsOf(kind: NearKind, word: string, term: string): number {
  const [typed, known] = [[...word], [...term]];
  if (kind === "whole") return editsBetween(typed, known);
  return Math.min(...beginnings(known).map((start) => editsBetween(typed, start)));
}

describe.each(["whole", "begins"] as const)("%s", (kind) => {
  test("finds what comparing all terms finds", () => {
    let matches = 0;
    fc.assert(
      fc.property(vocabularyAndWord, fc.constantFrom(0, 1, 2), ({ terms, typed }, most) => {
        fc.pre([...typed].length <= LONGEST_WORD);
        const sorted = new SortedTerms(new Vocabulary(terms));
        const found = new Map<string, number>();
        findNearTerms(sorted, toCodePoints(typed), most, kind, (id, edits) => found.set(terms[id], edits));
        const expected = new Map(
          terms
            .map((term) => [term, editsOf(kind, typed, term)] as const)
            .filter(([, edits]) => edits <= most),
        );
        expect(found).toEqual(expected);
        matches += found.size;
      }),
      { numRuns: 400 },
    );
    expect(matches).toBeGreaterThan(150);
  });
});

test("a range holds the terms that begin with a prefix", () => {
  fc.assert(
    fc.property(vocabularyAndWord, ({ terms, typed: prefix }) => {
      const sorted = new SortedTerms(new Vocabulary(terms));
      const [from, to] = sorted.range(prefix);
      const found = Array.from(sorted.ids.subarray(from, to), (id) => terms[id]);
      expect(found.sort()).toEqual(terms.filter((term) => term.startsWith(prefix)).sort());
    }),
  );
});
