// Square matrices, and the few operations on their rows that rotations need.

import type { SparseVector } from "../../segment/codes/code-vectors.ts";
import { addMultiple } from "../../segment/semantic/orthogonal.ts";

/** A square matrix, row by row. */
export interface Square {
  readonly dims: number;
  readonly values: Float64Array;
}

export function identity(dims: number): Square {
  const values = new Float64Array(dims * dims);
  for (let i = 0; i < dims; i++) values[i * dims + i] = 1;
  return { dims, values };
}

/** Views of the rows. */
export function rowsOfMatrix({ dims, values }: Square): Float64Array[] {
  return Array.from({ length: dims }, (_, i) => values.subarray(i * dims, (i + 1) * dims));
}

export function matrixOfRows(rows: readonly Float64Array[]): Square {
  const dims = rows.length;
  const values = new Float64Array(dims * dims);
  for (const [i, row] of rows.entries()) values.set(row, i * dims);
  return { dims, values };
}

export function transposedMatrix({ dims, values }: Square): Square {
  return { dims, values: values.map((_, at) => values[(at % dims) * dims + Math.floor(at / dims)]) };
}

/** a · b. Zeros of `a` are skipped, so multiplying by the identity is nearly free. */
export function matrixProduct(a: Square, b: Square): Square {
  const rows = rowsOfMatrix(b);
  return matrixOfRows(rowsOfMatrix(a).map((row) => combined(nonZeros(row), rows, b.dims)));
}

/** A sparse vector times a matrix with rows of `width` numbers: the sum of its rows, each times a factor. */
export function combined(vector: SparseVector, rows: readonly Float64Array[], width: number): Float64Array {
  const { columns, values } = vector;
  const sum = new Float64Array(width);
  let n = 0;
  for (; n + 3 < columns.length; n += 4) addFour(sum, vector, n, rows);
  for (; n < columns.length; n++) addMultiple(sum, values[n], rows[columns[n]]);
  return sum;
}

/**
 * Adds the rows of four numbers of a vector, from the number `first` on. Four rows at a time take a quarter of the reads and
 * writes of `to`; one at a time, these are half of all.
 */
function addFour(
  to: Float64Array,
  { columns, values }: SparseVector,
  first: number,
  rows: readonly Float64Array[],
): void {
  const [second, third, fourth] = [first + 1, first + 2, first + 3];
  const [a, b, c, d] = [
    rows[columns[first]],
    rows[columns[second]],
    rows[columns[third]],
    rows[columns[fourth]],
  ];
  const [timesA, timesB, timesC, timesD] = [values[first], values[second], values[third], values[fourth]];
  for (let n = 0; n < to.length; n++) to[n] += timesA * a[n] + timesB * b[n] + timesC * c[n] + timesD * d[n];
}

function nonZeros(row: Float64Array): SparseVector {
  const columns = Uint32Array.from(row.keys()).filter((column) => row[column] !== 0);
  return { columns, values: Float64Array.from(columns, (column) => row[column]) };
}
