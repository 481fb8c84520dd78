import { expect, test } from "vitest";
import { mulberry32 } from "./random.ts";
import { fromShortFloat, toShortFloat } from "./short-float.ts";

const random = mulberry32(17);

test("a number comes back as the next short float that is not below it", () => {
  const numbers = Array.from({ length: 5000 }, () => random() * 2 ** (240 * random() - 120));
  const edges = [0, 1, 2 ** -126, 2 ** -149, 1 + 2 ** -8, 1 + 2 ** -8 + 2 ** -23, 1 - 2 ** -24, 65_504, 3e38];
  for (const x of [...numbers, ...edges].map(Math.fround)) {
    const bits = toShortFloat(x);
    expect(bits).toBeLessThan(2 ** 16);
    expect(fromShortFloat(bits)).toBeGreaterThanOrEqual(x);
    if (bits > 0) expect(fromShortFloat(bits - 1)).toBeLessThan(x);
    if (x >= 2 ** -126) expect(fromShortFloat(bits)).toBeLessThanOrEqual(x * (1 + 2 ** -8));
    expect(toShortFloat(fromShortFloat(bits))).toBe(bits);
  }
});
