import { expect, test } from "vitest";
import { BufferedVectors } from "./buffered-vectors.ts";

test.each([0, 1, 255, 256, 257, 600])("a copy of %i vectors has each in its place", (count) => {
  const vectors = new BufferedVectors();
  for (let n = 0; n < count; n++) vectors.add(Float32Array.of(n, -n / 8, 1 / (n + 1)));
  const copy = new Uint16Array(3 * count);
  vectors.copyTo(copy);
  for (let n = 0; n < count; n++) expect(copy.subarray(3 * n, 3 * n + 3)).toEqual(vectors.at(n));
});
