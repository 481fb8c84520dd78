import { expect, test } from "vitest";
import { mulberry32 } from "../../support/numbers/random.ts";
import { MOST_SERIAL_BYTES, packSerials, unpackSerials } from "./serials.ts";

test.each([
  ["none", []],
  ["one after another", [1, 2, 3, 4]],
  ["with gaps", [7, 9, 200, 201, 70_000]],
  ["beyond 32 bits", [2 ** 32 + 5, 2 ** 32 + 6, 2 ** 50, 2 ** 53 - 3, 2 ** 53 - 2, 2 ** 53 - 1]],
  ["every other one", Array.from({ length: 500 }, (_, i) => 1 + 2 * i)],
])("serial numbers come back: %s", (_, numbers) => {
  const serials = Float64Array.from(numbers);
  const packed = packSerials(serials);
  expect(unpackSerials(packed, serials.length)).toEqual(serials);
  expect(packed.length).toBeLessThanOrEqual(MOST_SERIAL_BYTES * serials.length);
  // Bytes that end early, or say more than there is, give as many numbers as there are documents.
  for (let end = 0; end < packed.length; end++)
    expect(unpackSerials(packed.subarray(0, end), 3).length).toBe(3);
  expect(unpackSerials(Uint8Array.of(1, 255, 255, 255, 255, 255, 255, 127), 3)).toEqual(
    Float64Array.of(1, 2, 3),
  );
});

test("random ascending serial numbers come back; a run takes a few bytes, however long it is", () => {
  const random = mulberry32(2);
  let serial = 0;
  const serials = Float64Array.from({ length: 5000 }, () => {
    serial += random() < 0.9 ? 1 : 1 + Math.floor(random() ** 5 * 1e9);
    return serial;
  });
  expect(unpackSerials(packSerials(serials), 5000)).toEqual(serials);
  expect(packSerials(Float64Array.from({ length: 5000 }, (_, i) => i + 1)).length).toBe(3);
});
