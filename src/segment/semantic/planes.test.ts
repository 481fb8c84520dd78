import { describe, expect, test } from "vitest";
import { FLOAT16, toFloat16 } from "../../support/numbers/float16.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { fromShortFloat, toShortFloat } from "../../support/numbers/short-float.ts";
import { padDocs } from "../rows/windows.ts";
import { cutIntoPlanes, planeWidths } from "./planes.ts";

const random = mulberry32(9);
const WINDOW_DOCS = 32;

const roundUp = (x: number) => Math.fround(x * (1 + 2 ** -22));
const roundUpShort = (x: number) => fromShortFloat(toShortFloat(x));

/** The codes of a plane and their scale, and the rounding error in units of the scale. */
function define(numbers: readonly number[]) {
  const scale = roundUpShort(Math.max(...numbers.map(Math.abs)) / 127);
  if (scale === 0) return { scale, codes: numbers.map(() => 0), rounding: 0 };
  const codes = numbers.map((x) => x * (1 / scale) + 1.5 * 2 ** 52 - 1.5 * 2 ** 52);
  const error = numbers.reduce((sum, x, i) => sum + (x - codes[i] * scale) ** 2, 0);
  return { scale, codes, rounding: roundUp(Math.sqrt(error) * (1 / scale)) };
}

describe.each([5, 40, 96])("%i dims: each document becomes what the definition says, bit by bit", (dims) => {
  test.each([1, 2, 3, 4, 5, 31, 33, 70])("%i documents", (docs) => {
    const semantic = Uint16Array.from({ length: docs * dims }, (_, i) =>
      Math.floor(i / dims) % 7 === 3 ? 0 : toFloat16((random() - 0.5) * 4 ** (i % 5)),
    );
    const { widths, windows, planes, planeScales, planeTails, rotation } = cutIntoPlanes(
      { docs, semanticDims: dims, semantic },
      WINDOW_DOCS,
    );
    expect(widths).toEqual(planeWidths(dims));
    expect(rotation).toBeUndefined();
    const all = widths.reduce((sum, width) => sum + width, 0);
    let before = 0;
    for (const [number, { roundings, longest }] of windows.entries()) {
      const first = number * WINDOW_DOCS;
      const count = Math.min(WINDOW_DOCS, docs - first);
      const padded = padDocs(count);
      const expectedRoundings = widths.map(() => 0);
      let expectedLongest = 0;
      for (let lane = 0; lane < count; lane++) {
        const from = (first + lane) * dims;
        const vector = Array.from({ length: all }, (_, dim) =>
          dim < dims ? FLOAT16[semantic[from + dim]] : 0,
        );
        let [rest, end] = [0, all];
        for (let plane = widths.length - 1; plane >= 0; plane--) {
          const start = end - widths[plane];
          if (plane < widths.length - 1) {
            const at = before * (widths.length - 1) + plane * padded + lane;
            expect(fromShortFloat(planeTails[at])).toBe(roundUpShort(roundUp(Math.sqrt(rest))));
          }
          const numbers = vector.slice(start, end);
          for (const x of numbers) rest += x * x;
          const { scale, codes, rounding } = define(numbers);
          expect(fromShortFloat(planeScales[before * widths.length + plane * padded + lane])).toBe(scale);
          const at = before * all + padded * start + lane * widths[plane];
          expect(planes.subarray(at, at + widths[plane])).toEqual(Uint8Array.from(codes));
          expectedRoundings[plane] = Math.max(expectedRoundings[plane], rounding);
          end = start;
        }
        expectedLongest = Math.max(expectedLongest, roundUp(Math.sqrt(rest)));
      }
      expect({ roundings, longest }).toEqual({ roundings: expectedRoundings, longest: expectedLongest });
      before += padded;
    }
  });
});
