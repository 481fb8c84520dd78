// The kernel gives the bits of its definition: the same additions in the same order, in float64.

import { expect, test } from "vitest";
import { toFloat16, toFloat16s } from "../support/numbers/float16.ts";
import { mulberry32 } from "../support/numbers/random.ts";
import { Arena } from "./arena.ts";
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
    const [halves, expected] = [new Uint16Array(3 * dims + 2), new Uint16Array(3 * dims + 2)];
    memory.copyHalves(3, halves, 1);
    toFloat16s(memory.vectors(3), expected, 1);
    expect(halves).toEqual(expected);
  }
  expect(memory.values).toEqual(
    Int8Array.from({ length: rows * dims }, (_, i) => values[Math.floor(i / dims) * width + (i % dims)]),
  );
});

test("float32 are rounded to the nearest float16: every float16, its neighbors, and what is half way", () => {
  const bits = new Uint32Array(1);
  const float = new Float32Array(bits.buffer);
  const numbers: number[] = [0, -0, 1e30, -1e30, Number.POSITIVE_INFINITY, 1e-40, -1e-45, 65_519.99, 65_520];
  for (let half = 0; half < 0x7c00; half += 7) {
    for (const cut of [0, 1, 0xfff, 0x1000, 0x1001, 0x1fff]) {
      float[0] = half < 0x400 ? (half + cut / 0x2000) * 2 ** -24 : 0;
      if (half >= 0x400) bits[0] = (half << 13) + (112 << 23) + cut;
      numbers.push(float[0], -float[0]);
    }
  }
  for (const list of [numbers, [0.1], floats(17)]) {
    const arena = new Arena(2 ** 20);
    const [from, to] = [arena.allocate(4 * list.length + 32), arena.allocate(2 * list.length + 16)];
    arena.view(Float32Array, from, list.length).set(list);
    arena.kernels.roundToHalves(from, list.length, to);
    const expected = Uint16Array.from(arena.view(Float32Array, from, list.length), toFloat16);
    expect(arena.view(Uint16Array, to, list.length)).toEqual(expected);
  }
});

function floats(length: number): number[] {
  return Array.from({ length }, () => random() - 0.5);
}
