// Vectors → the directions they vary most in, uncentred: inner products are kept, so the mean must stay.

import { mulberry32 } from "../densify/random.ts";

/** Rounds of orthogonal iteration; the leading directions settle long before. */
const ROUNDS = 30;

/** The `count` leading eigenvectors of the vectors' second moments, as rows, by orthogonal iteration. */
export function principalDirections(vectors: readonly ArrayLike<number>[], count: number): Float64Array[] {
  const dims = vectors[0].length;
  const moments = Array.from({ length: dims }, () => new Float64Array(dims));
  for (const vector of vectors) {
    for (let i = 0; i < dims; i++) for (let j = 0; j < dims; j++) moments[i][j] += vector[i] * vector[j];
  }
  const random = mulberry32(1);
  let directions = orthonormal(
    Array.from({ length: count }, () => Float64Array.from({ length: dims }, () => random() - 0.5)),
  );
  for (let round = 0; round < ROUNDS; round++) {
    directions = orthonormal(
      directions.map((direction) => Float64Array.from(moments, (row) => dot(row, direction))),
    );
  }
  return directions;
}

/** A vector's coordinates along directions. */
export function projected(vector: ArrayLike<number>, directions: readonly Float64Array[]): Float32Array {
  return Float32Array.from(directions, (direction) => dot(direction, vector));
}

/** Gram–Schmidt, in order. */
function orthonormal(rows: readonly Float64Array[]): Float64Array[] {
  const done: Float64Array[] = [];
  for (const row of rows) {
    const rest = row.slice();
    for (const other of done) {
      const along = dot(other, rest);
      for (let i = 0; i < rest.length; i++) rest[i] -= along * other[i];
    }
    const length = Math.sqrt(dot(rest, rest));
    done.push(length > 0 ? rest.map((x) => x / length) : rest);
  }
  return done;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
