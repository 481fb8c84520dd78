import fc from "fast-check";
import { expect, test } from "vitest";
import { golden } from "../../test/golden.ts";
import { FLOAT16, roundToFloat16, toFloat16 } from "./float16.ts";

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
      for (const neighbour of [bits - 1, bits + 1]) {
        const other = FLOAT16[neighbour & 0xffff];
        if (Number.isFinite(other)) expect(Math.abs(other - x)).toBeGreaterThanOrEqual(error);
      }
    }),
  );
});
