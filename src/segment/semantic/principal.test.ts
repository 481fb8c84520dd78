import { expect, test } from "vitest";
import { mulberry32 } from "../../support/numbers/random.ts";
import { findDirections, findPrincipalDirections, project, sumMoments } from "./principal.ts";

const random = mulberry32(4);
/** Vectors that vary a hundred times as much along the sum of their first two coordinates as elsewhere. */
const vectors = Array.from({ length: 200 }, () => {
  const along = (random() - 0.5) * 100;
  return Float32Array.from({ length: 6 }, (_, i) => (i < 2 ? along : 0) + random() - 0.5);
});
const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, x, i) => sum + x * b[i], 0);

test("the first direction is the one vectors vary most in", () => {
  const [first] = findPrincipalDirections(vectors, 1);
  expect(Math.abs(first[0])).toBeCloseTo(Math.SQRT1_2, 2);
  expect(first[0]).toBeCloseTo(first[1], 2);
});

test("directions are orthonormal, and all of them together keep every inner product", () => {
  const directions = findPrincipalDirections(vectors, 6);
  for (const [i, a] of directions.entries()) {
    for (const [j, b] of directions.entries()) expect(dot(a, b)).toBeCloseTo(i === j ? 1 : 0, 8);
  }
  const [a, b] = [vectors[0], vectors[1]];
  expect(dot(project(a, directions), project(b, directions))).toBeCloseTo(dot(a, b), 2);
});

test("fewer directions keep most of what there is", () => {
  const [direction] = findPrincipalDirections(vectors, 1);
  const kept = vectors.reduce((sum, vector) => sum + project(vector, [direction])[0] ** 2, 0);
  expect(kept / vectors.reduce((sum, vector) => sum + dot(vector, vector), 0)).toBeGreaterThan(0.99);
});

test("in few rounds, the first directions have the same bits whatever the count is", () => {
  const moments = sumMoments(vectors);
  const all = findDirections(moments, 6, 3);
  for (const count of [1, 2, 5]) expect(findDirections(moments, count, 3)).toEqual(all.slice(0, count));
});
