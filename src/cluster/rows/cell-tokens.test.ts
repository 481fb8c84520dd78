import fc from "fast-check";
import { expect, test } from "vitest";
import { Slicing } from "../../densify/slicing.ts";
import { Vocabulary } from "../../densify/vocabulary.ts";
import { createCellTokens, termToken } from "./cell-tokens.ts";

test("words stay as they are", () => {
  for (const term of ["boat", "c++", "東京", "naïve", "déjà-vu", "##ing"]) expect(termToken(term)).toBe(term);
});

test("a token has nothing that OpenSearch would cut, and two terms never share one", () => {
  const term = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("", "a|b", "a b", "\u2003", "%007c", "%", "\ud800", "x".repeat(400)),
  );
  fc.assert(
    fc.property(term, term, (a, b) => {
      const token = termToken(a);
      expect(token).not.toMatch(/[|\s]/);
      expect(token.length).toBeGreaterThan(0);
      expect(token.length).toBeLessThan(256);
      expect(token === termToken(b)).toBe(a === b);
      expect(Buffer.from(token).toString()).toBe(token); // no half of a surrogate pair
    }),
    { numRuns: 1000 },
  );
});

test("rows of slots have the cell", () => {
  const vocabulary = new Vocabulary(["boat", "canal", "a|b"]);
  const full = new Slicing(vocabulary, { strategy: "full" });
  expect([0, 1, 2].map((slice) => createCellTokens(full)(slice, 0))).toEqual(["boat", "canal", "a%007cb"]);
  const slots = new Slicing(vocabulary, { strategy: "stride", dims: 2 });
  expect(createCellTokens(slots)(1, 3)).toBe("1:3");
});
