// The kernel gives the bits of its definition: the same additions in the same order, in float64.

import { expect, test } from "vitest";
import { mulberry32 } from "../support/numbers/random.ts";
import { TableMemory } from "./int8-table.ts";

const random = mulberry32(11);
const whole = (below: number) => Math.floor(random() * below);

/** Σ weight · row by fours, in plain TypeScript. */
function plainSum(values: Int8Array, width: number, dims: number, taken: [row: number, weight: number][]) {
  const sum = new Float64Array(dims);
  for (let i = 0; i < taken.length; i += 4) {
    for (let dim = 0; dim < dims; dim++) {
      const four = taken.slice(i, i + 4).map(([row, weight]) => weight * values[row * width + dim]);
      sum[dim] += four.reduce((total, x) => total + x);
    }
  }
  return sum;
}

test.each([
  ...[1, 4, 7, 8, 9, 16, 31, 64, 256].map((dims) => [dims, dims]),
  ...[8, 15, 128].map((dims) => [256, dims]),
])("sums of rows of %i numbers, cut to %i", (width, dims) => {
  const rows = 33;
  const values = Int8Array.from({ length: rows * width }, () => whole(255) - 127);
  const memory = new TableMemory(values, width, dims, 3);
  for (const count of [0, 1, 2, 3, 4, 5, 8, 30, 33]) {
    const taken = Array.from({ length: count }, (_, row): [number, number] => [
      rows - 1 - row,
      Math.fround(random()) * Math.sqrt(1 + whole(5)),
    ]);
    for (const [i, [row, weight]] of taken.entries()) memory.take(i, row, weight);
    const sum = plainSum(values, width, dims, taken);
    const factor = random();
    expect(memory.sum(count)).toBe(sum.reduce((total, x) => total + x * x, 0));
    memory.scale(factor, 2);
    expect(memory.vectors(3).subarray(2 * dims)).toEqual(Float32Array.from(sum, (x) => x * factor));
  }
  expect(memory.values).toEqual(
    Int8Array.from({ length: rows * dims }, (_, i) => values[Math.floor(i / dims) * width + (i % dims)]),
  );
});
