import { expect, test } from "vitest";
import { kthLargest, scratchNumbers } from "./kth.ts";
import { mulberry32 } from "./random.ts";

test("the k-th largest, with the larger ones before it", () => {
  const random = mulberry32(5);
  for (const size of [1, 2, 3, 10, 100, 3000]) {
    for (const distinct of [1, 3, 1e9]) {
      const numbers = Float64Array.from({ length: size }, () => Math.floor(random() * distinct) - 1);
      const sorted = numbers.toSorted().reverse();
      for (const k of new Set([1, 2, size >> 1, size - 1, size].filter((k) => k >= 1 && k <= size))) {
        const room = scratchNumbers(size);
        room.set(numbers);
        expect(kthLargest(room, size, k)).toBe(sorted[k - 1]);
        expect(room.slice(0, k).sort().reverse()).toEqual(sorted.slice(0, k));
        expect(room.slice(0, size).sort().reverse()).toEqual(sorted);
      }
    }
  }
});

test("the largest among infinities", () => {
  const room = scratchNumbers(3);
  room.set([Number.NEGATIVE_INFINITY, 2, Number.NEGATIVE_INFINITY]);
  expect(kthLargest(room, 3, 2)).toBe(Number.NEGATIVE_INFINITY);
  expect(room[0]).toBe(2);
});
