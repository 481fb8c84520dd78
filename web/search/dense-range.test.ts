// One number far from the others must not make one bar of them.

import { expect, test, vi } from "vitest";
import type { SearchRequest } from "../../src/schemas/index.ts";
import { addDenseRanges, narrowerDenseRange } from "./dense-range.ts";
import { countedRanges } from "./field.ts";

const numbers = vi.hoisted(() => ({ of: [] as number[], requests: 0 }));

vi.mock("../api/calls.ts", () => ({
  search: async (_: string, { facets = [] }: SearchRequest) => {
    numbers.requests++;
    return {
      facets: (facets as { field: string; ranges: { gte?: number; lt?: number }[] }[]).map(
        ({ field, ranges }) => ({
          field,
          ranges: ranges.map((range) => ({
            ...range,
            docs: numbers.of.filter((x) => x >= (range.gte ?? -Infinity) && x < (range.lt ?? Infinity))
              .length,
          })),
        }),
      ),
    };
  },
}));

const denseRangeOf = async (of: number[]) => {
  Object.assign(numbers, { of, requests: 0 });
  const range = { min: Math.min(...of), max: Math.max(...of) };
  const [field] = await addDenseRanges(
    "x",
    [{ name: "n", docs: of.length, range }],
    new AbortController().signal,
  );
  const ranges = countedRanges(range, field.denseRange);
  // Each number is in one range.
  for (const x of of)
    expect(ranges.filter(({ gte = -Infinity, lt = Infinity }) => x >= gte && x < lt)).toHaveLength(1);
  return { denseRange: field.denseRange, ranges, requests: numbers.requests };
};
const years = Array.from({ length: 60 }, (_, i) => 1950 + (i % 55));

test("numbers that lie close together are cut into bars, the others are below and above", async () => {
  const { denseRange, ranges } = await denseRangeOf([1869, 1870, ...years, 3000]);
  expect(denseRange).toEqual({ from: 1940, below: 2011 });
  expect(ranges.slice(0, 2)).toEqual([{ lt: 1940 }, { gte: 1940, lt: 1945 }]);
  expect(ranges.slice(-2)).toEqual([{ gte: 2010, lt: 2011 }, { gte: 2011 }]);
});

test("an outlier on one side, far away", async () => {
  const { denseRange } = await denseRangeOf([...years, 9_999_999]);
  expect(denseRange?.from).toBeUndefined();
  expect(denseRange?.below).toBeGreaterThan(2004);
  expect(denseRange?.below).toBeLessThan(2300);
});

test("fractions are rounded, and none is lost", async () => {
  const prices = Array.from({ length: 200 }, (_, i) => 0.1 + (i % 97) * 0.11);
  const { denseRange } = await denseRangeOf([...prices, 12_345.67]);
  expect(denseRange?.below).toBeLessThan(60);
  expect(String(denseRange?.below).length).toBeLessThan(6);
});

test("numbers that are spread out are counted as they are, after one look", async () => {
  expect(await denseRangeOf(years)).toMatchObject({ denseRange: undefined, requests: 1 });
  expect(await denseRangeOf([1, 1, 1, 2])).toMatchObject({ denseRange: undefined, requests: 1 });
  expect(narrowerDenseRange({ min: 0, max: 99 }, [])).toBeUndefined();
});
