// The orthogonal Procrustes problem (Schönemann 1966): the rotation R that brings X nearest to Y, ‖XR − Y‖ least, is U·Vᵀ
// where U·Σ·Vᵀ is the singular value decomposition of XᵀY.

import { makeOrthogonal, normalise } from "../../segment/jacobi.ts";
import { fromRows, identity, product, rowsOf, type Square, transposed } from "../../segment/matrix.ts";

export interface Procrustes {
  /** U·Vᵀ. */
  readonly rotation: Square;
  /** Uᵀ: where to start with a matrix that differs a little. */
  readonly left: Square;
}

/** The orthogonal matrix nearest to `matrix`, which is XᵀY. A start near the answer, orthonormal rows, saves sweeps. */
export function procrustes(matrix: Square, start: Square = identity(matrix.dims)): Procrustes {
  const left = rowsOf({ dims: start.dims, values: start.values.slice() });
  const right = rowsOf(product(start, matrix));
  normalise(right, makeOrthogonal(right, left));
  const leftRows = fromRows(left);
  return { rotation: product(transposed(leftRows), fromRows(right)), left: leftRows };
}

export interface Eigenvectors {
  /** Orthonormal rows: the directions of greatest variance, in falling order. */
  readonly directions: Square;
  readonly variances: Float64Array;
}

/** The eigenvectors of a covariance: of a symmetric matrix U is V, so there is only one side to keep. */
export function eigenvectors(covariance: Square): Eigenvectors {
  const rows = rowsOf({ dims: covariance.dims, values: covariance.values.slice() });
  const variances = makeOrthogonal(rows);
  normalise(rows, variances);
  return { directions: fromRows(rows), variances };
}
