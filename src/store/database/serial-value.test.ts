import { expect, test } from "vitest";
import { serialBytes, serialIn } from "./serial-value.ts";

test.each([
  [0, 1],
  [1, 1],
  [255, 1],
  [256, 2],
  [65_535, 2],
  [65_536, 3],
  [2 ** 32, 5],
  [2 ** 53 - 1, 7],
])("serial number %i takes %i bytes and comes back", (serial, bytes) => {
  expect(serialBytes(serial).length).toBe(bytes);
  expect(serialIn(serialBytes(serial))).toBe(serial);
});

test.each([[[]], [[1, 0]], [[1, 2, 3, 4, 5, 6, 7, 8]]])("the bytes %j are no serial number", (bytes) => {
  expect(serialIn(Uint8Array.from(bytes))).toBeNaN();
});
