// Vectors → the directions they vary most in, uncentred: inner products are kept, so the mean must stay.

import { mulberry32 } from "../support/random.ts";
import { normalise } from "./jacobi.ts";

/** Rounds of orthogonal iteration; the leading directions settle long before. */
const ROUNDS = 30;

/**
 * After so few rounds directions are not all alike yet, in float64, and one pass that makes them stand at right angles
 * does what one a round would: the first of them span the same.
 */
const FEW_ROUNDS = 3;

/** What is left of a row that the rows before it span is rounding error. */
const SPANNED = 1e-10;

/** The `count` leading eigenvectors of the vectors' second moments, as rows, by orthogonal iteration. */
export function principalDirections(
  vectors: readonly ArrayLike<number>[],
  count: number,
  rounds = ROUNDS,
): Float64Array[] {
  const dims = vectors[0].length;
  const moments = Array.from({ length: dims }, () => new Float64Array(dims));
  for (const vector of vectors) {
    for (let i = 0; i < dims; i++) {
      const [row, x] = [moments[i], vector[i]];
      for (let j = 0; j <= i; j++) row[j] += x * vector[j];
    }
  }
  for (let i = 0; i < dims; i++) for (let j = 0; j < i; j++) moments[j][i] = moments[i][j];
  const random = mulberry32(1);
  let directions: Float64Array[] = Array.from({ length: count }, () =>
    Float64Array.from({ length: dims }, () => random() - 0.5),
  );
  for (let round = 1; round <= rounds; round++) {
    directions = directions.map((direction) => Float64Array.from(moments, (row) => dot(row, direction)));
    if (rounds > FEW_ROUNDS && round < rounds) directions = orthonormal(directions, 1);
  }
  return orthonormal(directions);
}

/** Directions at right angles to these and to each other, until there are as many as dimensions. */
export function completed(directions: readonly Float64Array[], dims: number): Float64Array[] {
  const rows = directions.filter((row) => row.some((x) => x !== 0)).map((row) => row.slice());
  while (rows.length < dims) rows.push(new Float64Array(dims));
  normalise(
    rows,
    Float64Array.from(rows, (row) => Math.sqrt(dot(row, row))),
  );
  return rows;
}

/** A vector's coordinates along directions. */
export function projected(vector: ArrayLike<number>, directions: readonly Float64Array[]): Float32Array {
  return Float32Array.from(directions, (direction) => dot(direction, vector));
}

/** Gram–Schmidt, in order; twice where rounding errors must not stay. A row that the others span becomes 0. */
function orthonormal(rows: readonly Float64Array[], times = 2): Float64Array[] {
  const done: Float64Array[] = [];
  for (const row of rows) {
    const rest = row.slice();
    const before = Math.sqrt(dot(rest, rest));
    for (let round = 0; round < times; round++) {
      for (const other of done) {
        const along = dot(other, rest);
        for (let i = 0; i < rest.length; i++) rest[i] -= along * other[i];
      }
    }
    const length = Math.sqrt(dot(rest, rest));
    done.push(length > SPANNED * before ? rest.map((x) => x / length) : rest.fill(0));
  }
  return done;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
