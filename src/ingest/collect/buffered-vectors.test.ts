import { expect, test } from "vitest";
import { toFloat16 } from "../../support/numbers/float16.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { BufferedVectors } from "./buffered-vectors.ts";

test.each([0, 1, 255, 256, 257, 600])("a copy of %i vectors has each in its place", (count) => {
  const vectors = new BufferedVectors();
  for (let n = 0; n < count; n++) vectors.add(Float32Array.of(n, -n / 8, 1 / (n + 1)));
  const copy = new Uint16Array(3 * count);
  vectors.copyTo(copy);
  for (let n = 0; n < count; n++) expect(copy.subarray(3 * n, 3 * n + 3)).toEqual(vectors.at(n));
});

test("vectors in float16 are in their places beside others, also if some of them are left out", () => {
  const random = mulberry32(3);
  const vectors = new BufferedVectors();
  const expected: number[][] = [];
  let block = new Uint16Array(0);
  for (let n = 0, number = 0; n < 3000; n++, number++) {
    if (3 * number >= block.length) {
      block = Uint16Array.from({ length: 3 * Math.ceil(1 + 400 * random()) }, () => 0x7bff * random());
      number = 0;
    }
    if (random() < 0.1) {
      const vector = Float32Array.of(n, random(), -random());
      vectors.add(vector);
      expected.push(Array.from(vector, toFloat16));
    }
    if (random() < 0.1) continue;
    vectors.addHalf({ halves: block, number, length: 3 });
    expected.push([...block.subarray(3 * number, 3 * number + 3)]);
  }
  const copy = new Uint16Array(3 * expected.length);
  vectors.copyTo(copy);
  expect([...copy]).toEqual(expected.flat());
  expect(expected.map((_, n) => [...vectors.at(n)])).toEqual(expected);
});
