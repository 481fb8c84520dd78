// Vectors → their principal directions, without centering: the directions must preserve inner products, so the mean is not
// subtracted.

import { mulberry32 } from "../../support/numbers/random.ts";
import { addMultiple, dot, normalize } from "./orthogonal.ts";

/** Rounds of orthogonal iteration. The leading directions converge in fewer. */
const ROUNDS = 30;

/**
 * Up to this many rounds, directions are made orthogonal once at the end instead of in every round. In float64 they have
 * not yet collapsed into one direction by then, so the first of them span the same space.
 */
const FEW_ROUNDS = 3;

/** If less than this share of a row is left after subtracting the rows before it, the rest is rounding error. */
const SPANNED = 1e-10;

/** The `count` leading eigenvectors of the vectors' second-moment matrix, as rows, by orthogonal iteration. */
export function findPrincipalDirections(
  vectors: readonly ArrayLike<number>[],
  count: number,
  rounds = ROUNDS,
): Float64Array[] {
  return findDirections(sumMoments(vectors), count, rounds);
}

/** The second-moment matrix of vectors. */
export function sumMoments(vectors: readonly ArrayLike<number>[]): Float64Array[] {
  const dims = vectors[0].length;
  const moments = Array.from({ length: dims }, () => new Float64Array(dims));
  for (const vector of vectors) for (let i = 0; i < dims; i++) addFirst(moments[i], vector[i], vector, i + 1);
  for (let i = 0; i < dims; i++) for (let j = 0; j < i; j++) moments[j][i] = moments[i][j];
  return moments;
}

/** Adds a multiple of the first `count` numbers. */
function addFirst(to: Float64Array, factor: number, from: ArrayLike<number>, count: number): void {
  for (let n = 0; n < count; n++) to[n] += factor * from[n];
}

/** `findPrincipalDirections` of such a matrix. In few rounds, the first directions are the same whatever the count is. */
export function findDirections(
  moments: readonly Float64Array[],
  count: number,
  rounds: number,
): Float64Array[] {
  const dims = moments.length;
  const random = mulberry32(1);
  let directions: Float64Array[] = Array.from({ length: count }, () =>
    Float64Array.from({ length: dims }, () => random() - 0.5),
  );
  for (let round = 1; round <= rounds; round++) {
    directions = directions.map((direction) => Float64Array.from(moments, (row) => dot(row, direction)));
    if (rounds > FEW_ROUNDS && round < rounds) directions = orthonormalize(directions, 1);
  }
  return orthonormalize(directions);
}

/** Adds directions that are orthogonal to these and to each other, until there are as many as dimensions. */
export function completeDirections(directions: readonly Float64Array[], dims: number): Float64Array[] {
  const rows = directions.filter((row) => row.some((x) => x !== 0)).map((row) => row.slice());
  while (rows.length < dims) rows.push(new Float64Array(dims));
  normalize(
    rows,
    Float64Array.from(rows, (row) => Math.sqrt(dot(row, row))),
  );
  return rows;
}

/** A vector's coordinates in these directions. */
export function project(vector: ArrayLike<number>, directions: readonly Float64Array[]): Float32Array {
  return Float32Array.from(directions, (direction) => dot(direction, vector));
}

/** Gram–Schmidt, in order. Two rounds remove the rounding errors of one. A row that the others span becomes 0. */
function orthonormalize(rows: readonly Float64Array[], times = 2): Float64Array[] {
  const done: Float64Array[] = [];
  for (const row of rows) {
    const rest = row.slice();
    const before = Math.sqrt(dot(rest, rest));
    for (let round = 0; round < times; round++) {
      for (const other of done) addMultiple(rest, -dot(other, rest), other);
    }
    const length = Math.sqrt(dot(rest, rest));
    done.push(length > SPANNED * before ? rest.map((x) => x / length) : rest.fill(0));
  }
  return done;
}
