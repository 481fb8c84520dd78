import fc from "fast-check";
import { expect, test } from "vitest";
import { createStoredRow, packStoredRow, toRow, unpackStoredRow } from "./stored-row.ts";

const bits = fc.uint16Array({ maxLength: 9 });

test("rows come back from their bytes, and bytes that were cut are refused", () => {
  const slots = fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 31 }), { maxLength: 40 });
  fc.assert(
    fc.property(slots, bits, bits, fc.boolean(), fc.nat(), (some, vector, factors, hasIndices, seed) => {
      const slices = Uint32Array.from(some).sort();
      const indices = Uint16Array.from(slices, (_, i) => (hasIndices ? (seed * i) % 65_536 : 0));
      const values = Uint16Array.from(slices, (_, i) => (seed + 77 * i) % 0x7c00);
      const row = { slices, indices, values, vector, factors };
      const shape = { hasIndices, semanticDims: vector.length };
      const bytes = packStoredRow(row, shape);
      expect(unpackStoredRow(bytes, shape)).toEqual(row);
      if (bytes.length > 0) expect(() => unpackStoredRow(bytes.subarray(0, -1), shape)).toThrow(RangeError);
      expect(() => unpackStoredRow(Buffer.concat([bytes, Buffer.of(0)]), shape)).toThrow(RangeError);
    }),
  );
});

test("values are rounded to float16 once", () => {
  const row = { slices: Uint32Array.of(3), indices: Uint16Array.of(0), values: Float32Array.of(0.5) };
  expect(toRow(createStoredRow(row))).toEqual(row);
});
