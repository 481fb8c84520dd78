import fc from "fast-check";
import { expect, test } from "vitest";
import { edits, nearest } from "./nearest.ts";

test.each([
  ["serach", "search"],
  ["indx", "index"],
  ["vertify", "verify"],
  ["del", "delete"],
  ["frobnicate", undefined],
  ["x", undefined],
])("%s means %s", (word, meant) => {
  expect(nearest(word, ["serve", "search", "index", "delete", "verify", "add"])).toBe(meant);
});

test("flags of one letter are near to two, not to every other", () => {
  expect(nearest("kk", ["k", "b", "json"])).toBe("k");
  expect(nearest("k", ["k", "b", "json"])).toBe("k");
  expect(nearest("5", ["k", "b", "json"])).toBe(undefined);
  expect(nearest("jsno", ["k", "b", "json"])).toBe("json");
});

test("edits: none for the same word, one per letter, the same in both directions", () => {
  expect(edits("serach", "search")).toBe(1); // a swap
  expect(edits("", "abc")).toBe(3);
  const word = fc.string({ maxLength: 8 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(edits(a, b)).toBe(edits(b, a));
      expect(edits(a, b) === 0).toBe(a === b);
      expect(edits(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});
