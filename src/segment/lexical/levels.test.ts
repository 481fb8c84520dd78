import { describe, expect, test } from "vitest";
import { FLOAT16, toFloat16 } from "../../support/numbers/float16.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { fitLevels, type Levels, LevelsBuilder, MOST_LEVELS, valueAt } from "./levels.ts";

/** Codes values in blocks, as a scanner reads them. Undefined if they have no levels. */
function coded(values: Uint16Array, block = 100): { levels: Levels; codes: Uint8Array } | undefined {
  const counts = new Uint32Array(0x8000);
  for (const value of values) counts[value]++;
  const fitted = fitLevels(counts);
  if (fitted.length === 0) return undefined;
  const builder = new LevelsBuilder(fitted);
  const blocks = Array.from({ length: Math.ceil(values.length / block) }, (_, i) => i * block);
  const codes = new Uint8Array(values.length);
  for (const from of blocks) {
    builder.encode(from, values.subarray(from, from + block), codes.subarray(from));
  }
  return { levels: builder.finish(), codes };
}

/** The BM25 value of a term that occurs `times` times in a text of this length. */
function bm25(times: number, length: number): number {
  return toFloat16(times / (times + 0.9 * (0.6 + (0.4 * length) / 150)));
}

describe("levels of postings' values", () => {
  const random = mulberry32(7);
  const whole = (below: number) => Math.floor(random() * below);
  const few = Uint16Array.from({ length: 5000 }, () => bm25(1 + whole(4), 20 * (1 + whole(20))));
  const many = Uint16Array.from({ length: 50_000 }, () =>
    random() < 0.99 ? bm25(1 + whole(3), 20 * (1 + whole(20))) : bm25(1 + whole(30), 1 + whole(800)),
  );

  test.each([
    ["fewer values than levels", few],
    ["more, most of them rare", many],
    ["one value", new Uint16Array(10).fill(toFloat16(1.5))],
  ])("%s: every value comes back, and its level is the next one", (_, values) => {
    const { levels, codes } = coded(values)!;
    expect(levels.values.length).toBeLessThanOrEqual(MOST_LEVELS);
    const nextLevel = new Map(
      [...new Set(values)].map((value) => [value, levels.values.find((level) => level >= value)]),
    );
    for (const [i, value] of values.entries()) {
      expect(valueAt(levels, i, codes[i])).toBe(value);
      const level = levels.values[codes[i]];
      expect(level).toBe(nextLevel.get(value));
      expect(FLOAT16[level] - FLOAT16[value]).toBeLessThanOrEqual(levels.gap);
    }
  });

  test("nothing is rare where there are few values", () => {
    const { levels } = coded(few)!;
    expect(levels).toMatchObject({ gap: 0, rare: new Uint32Array(0) });
    expect([...levels.values]).toEqual([...new Set(few)].sort((a, b) => a - b));
  });

  test("rare values stay close to their level", () => {
    expect(new Set(many).size).toBeGreaterThan(MOST_LEVELS);
    const { levels } = coded(many)!;
    expect(levels.rare.length).toBeGreaterThan(0);
    expect(levels.gap).toBeLessThanOrEqual(FLOAT16[many.reduce((a, b) => Math.max(a, b))] / 255);
  });

  test("values of which none is frequent have no levels", () => {
    expect(coded(Uint16Array.from({ length: 5000 }, () => toFloat16(3 * random())))).toBeUndefined();
  });
});
