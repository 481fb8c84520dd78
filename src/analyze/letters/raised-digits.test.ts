import fc from "fast-check";
import { expect, test } from "vitest";
import { english } from "../analyzers/english.ts";
import { universal } from "../analyzers/universal.ts";
import { highlight } from "../highlight.ts";
import { termPositions } from "../term-positions.ts";
import { lowerRaisedDigits } from "./raised-digits.ts";

test.each([
  ["H₂O", "h2o"],
  ["C₆H₁₂O₆", "c6h12o6"],
  ["x²", "x2"],
  ["120 km²", "120 km2"],
  ["x₁₀", "x10"],
  ["5 m³/s", "5 m3/s"],
  ["a city¹ of canals²³", "a city of canals"], // marks of footnotes
  ["10² and 10⁻⁶", "10 and 10"],
  ["₂ ² alone", "alone"],
])("%s has the terms of %s", (text, plain) => {
  expect(universal.terms(text)).toEqual(universal.terms(plain));
  const emitted: string[] = [];
  universal.eachTerm!(text, (term) => emitted.push(term));
  expect(emitted).toEqual(universal.terms(plain));
});

test("characters stay where they are, and text without such digits stays as it is", () => {
  const letters = fc.constantFrom("a", "é", "𝒳", "1", " ", "²", "₂", "⁹", "⁻", "水", "\u0301");
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 12 }), (text) => {
      const plain = lowerRaisedDigits(text);
      expect(plain).toHaveLength(text.length);
      for (let at = 0; at < text.length; at++)
        if (plain[at] !== text[at]) expect(plain[at]).toBe(text[at].normalize("NFKC"));
      expect(universal.terms(text).join("")).not.toMatch(/[²₂⁹]/u);
    }),
  );
});

test("words are marked and counted as with plain digits", () => {
  expect(highlight(universal, "pure H₂O boils", new Set(["h2o"]))).toEqual([[5, 8]]);
  expect(termPositions(universal, "H₂O boils")).toEqual(termPositions(universal, "H2O boils"));
});

test("english stays as Lucene has it", () => {
  expect(english.terms("H₂O x²")).toEqual(["h", "o", "x"]);
});
