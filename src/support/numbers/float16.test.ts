import fc from "fast-check";
import { expect, test } from "vitest";
import { golden } from "../../../test/helpers/golden.ts";
import { FLOAT16, replaceByFloat16s, roundToFloat16, toFloat16, toFloat16s } from "./float16.ts";
import { mulberry32 } from "./random.ts";

test("the golden conversions", () => {
  for (const { x, bits, back } of golden("float16.json").cases) {
    const number = x === "-0" ? -0 : x;
    expect(toFloat16(number)).toBe(bits);
    const expected =
      back === "inf" ? Number.POSITIVE_INFINITY : back === "-inf" ? Number.NEGATIVE_INFINITY : back;
    expect(roundToFloat16(number)).toBe(x === "-0" ? -0 : expected);
  }
});

test("every float16 survives the way there and back", () => {
  for (let bits = 0; bits < 65_536; bits++) {
    if (Number.isNaN(FLOAT16[bits])) expect(toFloat16(FLOAT16[bits])).toBe(0x7e00);
    else expect(toFloat16(FLOAT16[bits])).toBe(bits);
  }
});

test("no other float16 is nearer", () => {
  fc.assert(
    fc.property(fc.double({ min: -65_504, max: 65_504, noNaN: true }), (x) => {
      const bits = toFloat16(x);
      const error = Math.abs(FLOAT16[bits] - x);
      for (const neighbor of [bits - 1, bits + 1]) {
        const other = FLOAT16[neighbor & 0xffff];
        if (Number.isFinite(other)) expect(Math.abs(other - x)).toBeGreaterThanOrEqual(error);
      }
    }),
  );
});

test("many at once are converted as one by one, wherever they lie", () => {
  const special = [
    0,
    -0,
    1,
    -1,
    65_504,
    65_519,
    65_520,
    -70_000,
    2 ** -14,
    2 ** -15,
    2 ** -24,
    2 ** -25,
    1e-30,
  ];
  const ties = [1 + 2 ** -11, 1 + 3 * 2 ** -11, 2047.5, 4095.5, -(1 + 2 ** -11)];
  const random = mulberry32(7);
  const bits = new Uint32Array(20_000).map(() => random() * 2 ** 32);
  const all = Float32Array.from([7, ...special, ...ties, ...new Float32Array(bits.buffer)]);
  const numbers = all.subarray(1);
  const into = new Uint16Array(numbers.length + 3);
  toFloat16s(numbers, into, 2);
  expect([...into.subarray(0, 2), into.at(-1)]).toEqual([0, 0, 0]);
  for (const [i, x] of numbers.entries()) expect(into[2 + i]).toBe(toFloat16(x));
  const rounded = numbers.slice();
  replaceByFloat16s(rounded);
  for (const [i, x] of numbers.entries()) expect(rounded[i]).toBe(roundToFloat16(x));
});
