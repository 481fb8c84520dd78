// Solves the orthogonal Procrustes problem (Schönemann 1966): find the rotation R that minimizes ‖XR − Y‖. R is U·Vᵀ,
// where U·Σ·Vᵀ is the singular value decomposition of XᵀY.

import { normalize } from "../../segment/semantic/orthogonal.ts";
import { makeOrthogonal } from "./jacobi.ts";
import {
  identity,
  matrixOfRows,
  matrixProduct,
  rowsOfMatrix,
  type Square,
  transposedMatrix,
} from "./matrix.ts";

interface Procrustes {
  /** U·Vᵀ. */
  readonly rotation: Square;
  /** Uᵀ: a good start for a matrix that differs a little. */
  readonly left: Square;
}

/** Returns the orthogonal matrix nearest to `matrix`, which is XᵀY. A `start` (orthonormal rows) near U saves sweeps. */
export function procrustes(matrix: Square, start: Square = identity(matrix.dims)): Procrustes {
  const left = rowsOfMatrix({ dims: start.dims, values: start.values.slice() });
  const right = rowsOfMatrix(matrixProduct(start, matrix));
  normalize(right, makeOrthogonal(right, left));
  const leftRows = matrixOfRows(left);
  return { rotation: matrixProduct(transposedMatrix(leftRows), matrixOfRows(right)), left: leftRows };
}

interface Eigenvectors {
  /** Orthonormal rows: the directions of greatest variance, in descending order. */
  readonly directions: Square;
  readonly variances: Float64Array;
}

/** Returns the eigenvectors of a covariance. In a symmetric matrix U equals V, so only one side is kept. */
export function eigenvectors(covariance: Square): Eigenvectors {
  const rows = rowsOfMatrix({ dims: covariance.dims, values: covariance.values.slice() });
  const variances = makeOrthogonal(rows);
  normalize(rows, variances);
  return { directions: matrixOfRows(rows), variances };
}
