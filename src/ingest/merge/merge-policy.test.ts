import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseAll, chooseMerge, type Mergeable, MOST_MERGED_BYTES } from "./merge-policy.ts";

const segment = (docs: number, deleted = 0, bytes = docs * 1000): Mergeable => ({ docs, deleted, bytes });

test("eight alike become one; a large one before them is left alone", () => {
  const small = Array.from({ length: 8 }, () => segment(10));
  expect(chooseMerge(small.slice(1))).toBeUndefined();
  expect(chooseMerge(small)).toEqual([0, 8]);
  expect(chooseMerge([segment(1_000_000), ...small])).toEqual([1, 9]);
  expect(chooseMerge([segment(1_000_000), ...small.slice(1)])).toBeUndefined();
});

test("a segment with too much deleted is written again, alone", () => {
  expect(chooseMerge([segment(100), segment(5000, 2000), segment(100)])).toEqual([1, 2]);
  expect(chooseMerge([segment(100), segment(5000, 1500), segment(100)])).toBeUndefined();
});

test("whatever comes, merging ends, with few segments, none too large, and each document written a few times", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 400 }), (sizes) => {
      let segments: Mergeable[] = [];
      let written = 0;
      for (const docs of sizes) {
        segments.push(segment(docs));
        for (let choice = chooseMerge(segments); choice; choice = chooseMerge(segments)) {
          const [from, to] = choice;
          const merged = segments.slice(from, to).reduce((sum, { docs }) => sum + docs, 0);
          written += merged;
          segments = [...segments.slice(0, from), segment(merged), ...segments.slice(to)];
        }
      }
      const total = sizes.reduce((sum, docs) => sum + docs, 0);
      expect(segments.reduce((sum, { docs }) => sum + docs, 0)).toBe(total);
      expect(segments.length).toBeLessThanOrEqual(12);
      expect(written).toBeLessThan(total * 12);
    }),
  );
});

test("no merge makes a segment that is too large, not even when all are merged", () => {
  const large = Array.from({ length: 20 }, () => segment(1000, 0, MOST_MERGED_BYTES / 3));
  expect(chooseMerge(large)).toBeUndefined();
  expect(chooseAll(large)).toEqual([
    [0, 3],
    [3, 6],
    [6, 9],
    [9, 12],
    [12, 15],
    [15, 18],
    [18, 20],
  ]);
  expect(chooseAll([segment(10)])).toEqual([[0, 1]]);
  expect(chooseAll([])).toEqual([]);
});
