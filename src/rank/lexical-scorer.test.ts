import { expect, test } from "vitest";
import { slotCapacity } from "./lexical-scorer.ts";

test("slots have room for all slices, and a vocabulary that grows needs few sizes of them", () => {
  const capacities = new Set<number>();
  for (let dims = 0; dims <= 100_000; dims++) {
    expect(slotCapacity(dims)).toBeGreaterThanOrEqual(dims);
    capacities.add(slotCapacity(dims));
  }
  expect(capacities.size).toBe(18); // 1, 2, 4 … 131,072
});
