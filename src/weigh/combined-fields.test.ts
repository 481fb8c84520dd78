import fc from "fast-check";
import { expect, test } from "vitest";
import { termPart } from "./bm25.ts";
import { combinedAverage, combinedLength, combinedPart } from "./combined-fields.ts";

const parameters = { k1: 0.9, b: 0.4 };
const count = fc.nat(50);

test("equal weights of 1 make one text of all fields", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(count, count), { minLength: 1, maxLength: 5 }), (fields) => {
      const counts = fields.map(([tf]) => tf);
      const lengths = fields.map(([tf, others]) => tf + others);
      const ones = fields.map(() => 1);
      const [tf, length] = [counts, lengths].map((each) => each.reduce((sum, x) => sum + x, 0));
      fc.pre(tf > 0);
      const average = combinedAverage({ docs: 2, fieldLengths: lengths.map((x) => 3 * x) }, ones);
      expect(average).toBe((3 * length) / 2);
      expect(combinedPart(counts, lengths, ones, average, parameters)).toBe(
        termPart(tf, length, average, parameters),
      );
    }),
  );
});

test("a weight of n is the same as a field that is there n times", () => {
  fc.assert(
    fc.property(count, count, fc.integer({ min: 1, max: 6 }), (tf, others, n) => {
      fc.pre(tf > 0);
      const repeated = Array.from({ length: n }, () => tf);
      const lengths = Array.from({ length: n }, () => tf + others);
      const ones = repeated.map(() => 1);
      expect(combinedPart([tf], [tf + others], [n], 17, parameters)).toBe(
        combinedPart(repeated, lengths, ones, 17, parameters),
      );
    }),
  );
});

test("a field of weight 0 is as if it were not there", () => {
  expect(combinedPart([3, 0], [10, 4], [0, 2], 5, parameters)).toBe(0);
  expect(combinedPart([3, 1], [10, 4], [0, 2], 5, parameters)).toBe(termPart(2, 8, 5, parameters));
  expect(combinedLength([1, 3], [0.25, 0.5])).toBe(2);
});
