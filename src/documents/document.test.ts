import { expect, expectTypeOf, test } from "vitest";
import { mulberry32 } from "../support/numbers/random.ts";
import { checkVector, type Document, type Fields } from "./document.ts";
import type { ROW_PART_FIELDS } from "./reserved-fields.ts";

test("fields come back without those that a row is made of", () => {
  type Article = Document & {
    id: string;
    title: string;
    year: number;
    vector: Float32Array;
    weights: object;
  };
  type Expected = Readonly<Omit<Article, (typeof ROW_PART_FIELDS)[number]>>;
  expectTypeOf<keyof Fields<Article>>().toEqualTypeOf<keyof Expected>();
});

test("a vector in float32 may have every number that float16 can hold, and no other", () => {
  const random = mulberry32(2);
  const edges = [
    0,
    -0,
    65_504,
    -65_504,
    65_504.004,
    -65_504.004,
    65_520,
    Infinity,
    -Infinity,
    NaN,
    1e-45,
    3e38,
  ];
  for (let i = 0; i < 2000; i++) {
    const number = Math.fround(i < edges.length ? edges[i] : (random() - 0.5) * 2 ** (30 * random()));
    const vector = Float32Array.of(1, 2, number, 3).subarray(1);
    const check = () => checkVector(vector, "the vector");
    if (Math.abs(number) <= 65_504) expect(check()).toBe(vector);
    else expect(check).toThrow("the vector: entry 1 is");
  }
});
