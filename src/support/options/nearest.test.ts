import fc from "fast-check";
import { expect, test } from "vitest";
import { editsBetween } from "../numbers/edits.ts";
import { nearestName } from "./nearest.ts";

test.each([
  ["serach", "search"],
  ["indx", "index"],
  ["vertify", "verify"],
  ["del", "delete"],
  ["frobnicate", undefined],
  ["x", undefined],
])("%s means %s", (word, meant) => {
  expect(nearestName(word, ["serve", "search", "index", "delete", "verify", "add"])).toBe(meant);
});

test("flags of one letter are near to two, not to every other", () => {
  expect(nearestName("kk", ["k", "b", "json"])).toBe("k");
  expect(nearestName("k", ["k", "b", "json"])).toBe("k");
  expect(nearestName("5", ["k", "b", "json"])).toBe(undefined);
  expect(nearestName("jsno", ["k", "b", "json"])).toBe("json");
});

test("each call has its own word for how many", () => {
  for (const name of ["limit", "top", "size", "n"]) expect(nearestName(name, ["k", "offset"])).toBe("k");
  for (const name of ["k", "top", "size", "n"]) expect(nearestName(name, ["filter", "limit"])).toBe("limit");
});

test("a missing s comes before a name that other engines use for something else", () => {
  expect(nearestName("boost", ["lambda", "boosts"])).toBe("boosts");
  expect(nearestName("boost", ["lambda", "k"])).toBe("lambda");
});

test("edits: none for the same word, one per letter, the same in both directions", () => {
  expect(editsBetween("serach", "search")).toBe(1); // a swap
  expect(editsBetween("", "abc")).toBe(3);
  const word = fc.string({ maxLength: 8 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(editsBetween(a, b)).toBe(editsBetween(b, a));
      expect(editsBetween(a, b) === 0).toBe(a === b);
      expect(editsBetween(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});

test("a known name may be that of a property of every object", () => {
  expect(nearestName("passage.of", ["toString", "__proto__", "constructor"])).toBe(undefined);
  expect(nearestName("tostrin", ["toString"])).toBe("toString");
});
