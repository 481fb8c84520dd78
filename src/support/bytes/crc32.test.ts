import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { crc32, crc32ByTables } from "./crc32.ts";

test("is Node's own where there is one", () => {
  expect(crc32).toBe(zlibCrc32);
});

test("by tables is zlib's, whole and in pieces", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
      expect(crc32ByTables(bytes)).toBe(zlibCrc32(bytes));
      expect(crc32ByTables(bytes.subarray(cut), crc32ByTables(bytes.subarray(0, cut)))).toBe(
        zlibCrc32(bytes),
      );
    }),
  );
});
