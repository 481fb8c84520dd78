import { expect, test } from "vitest";
import { mulberry32 } from "../../support/numbers/random.ts";
import { packSerials, unpackSerials } from "./serials.ts";

test.each([
  ["none", []],
  ["one after another", [1, 2, 3, 4]],
  ["with gaps", [7, 9, 200, 201, 70_000]],
  ["beyond 32 bits", [2 ** 32 + 5, 2 ** 32 + 6, 2 ** 50, 2 ** 53 - 1]],
])("serial numbers come back: %s", (_, numbers) => {
  const serials = Float64Array.from(numbers);
  expect(unpackSerials(packSerials(serials), serials.length)).toEqual(serials);
});

test("random ascending serial numbers come back; neighbors take one byte", () => {
  const random = mulberry32(2);
  let serial = 0;
  const serials = Float64Array.from({ length: 5000 }, () => {
    serial += random() < 0.9 ? 1 : 1 + Math.floor(random() ** 5 * 1e9);
    return serial;
  });
  expect(unpackSerials(packSerials(serials), 5000)).toEqual(serials);
  expect(packSerials(Float64Array.from({ length: 5000 }, (_, i) => i + 1)).length).toBe(5000);
});
