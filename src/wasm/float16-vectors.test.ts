// `VectorMemory` gives the same inner products as the definition, bit for bit, at every width and number of documents.

import { expect, test } from "vitest";
import { dotFloat16 } from "../rank/dot.ts";
import { mulberry32 } from "../support/numbers/random.ts";
import { VectorMemory } from "./float16-vectors.ts";

const random = mulberry32(8);

test.each([1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 384])("%i dims", (dims) => {
  const docs = 600;
  const memory = new VectorMemory(docs, dims);
  // Every finite float16, subnormal and negative ones included.
  memory.halves.set(memory.halves.map(() => Math.floor(random() * 0x7c00) | (random() < 0.5 ? 0x8000 : 0)));
  const query = Float32Array.from({ length: dims }, () => random() - 0.5);
  for (const count of [0, 1, 3, 4, 5, 255, 256, 257, 513]) {
    const some = Uint32Array.from({ length: count }, () => Math.floor(random() * docs)).sort();
    const dots = new Float64Array(count);
    memory.computeDots(query, some, dots);
    expect(dots).toEqual(Float64Array.from(some, (doc) => dotFloat16(query, memory.halves, doc * dims)));
  }
});

test("a second query replaces the first", () => {
  const memory = new VectorMemory(1, 4);
  memory.halves.fill(0x3c00);
  const dots = new Float64Array(1);
  for (const x of [1, 2, 3]) {
    memory.computeDots(new Float32Array(4).fill(x), Uint32Array.of(0), dots);
    expect(dots[0]).toBe(4 * x);
  }
});
