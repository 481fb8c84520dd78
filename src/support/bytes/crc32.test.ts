import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { crc32 } from "./crc32.ts";

test("is zlib's, whole and in pieces", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
      expect(crc32(bytes)).toBe(zlibCrc32(bytes));
      expect(crc32(bytes.subarray(cut), crc32(bytes.subarray(0, cut)))).toBe(zlibCrc32(bytes));
    }),
  );
});
