// The singular value decomposition by one-sided Jacobi rotations (Hestenes 1958). Pairs of rows are rotated until all rows
// are orthogonal. A rotation multiplies by an orthogonal matrix from the left, so M = U·Σ·Vᵀ becomes Uᵀ·M = Σ·Vᵀ: rows of
// length σ in the directions of v.

import { dot, NEGLIGIBLE } from "../../segment/semantic/orthogonal.ts";

/** Two rows are orthogonal if the magnitude of their cosine is at most this. A smaller number takes more sweeps. */
const TOLERANCE = 1e-7;

/** The limit on sweeps. About ten are usual. */
const MOST_SWEEPS = 40;

/**
 * Makes the rows orthogonal, in place and longest first, and rotates the rows of `along` with them. Returns the rows'
 * lengths.
 */
export function makeOrthogonal(rows: Float64Array[], along?: Float64Array[]): Float64Array {
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    // Longest first, without negligible rows, took 12 sweeps; any order with all rows took 26.
    sortByLength(rows, along);
    if (sweepOnce(rows, along) === 0) break;
  }
  return Float64Array.from(rows, length);
}

function sortByLength(rows: Float64Array[], along?: Float64Array[]): void {
  const lengths = rows.map(length);
  const order = [...rows.keys()].sort((a, b) => lengths[b] - lengths[a] || a - b);
  for (const list of along ? [rows, along] : [rows]) {
    const before = [...list];
    for (const [to, from] of order.entries()) list[to] = before[from];
  }
}

/** Rotates every pair of rows that is not orthogonal, once. Returns how many were rotated. */
function sweepOnce(rows: Float64Array[], along?: Float64Array[]): number {
  const squares = Float64Array.from(rows, (row) => dot(row, row));
  const negligible = NEGLIGIBLE ** 2 * squares[0];
  let rotations = 0;
  for (let i = 0; i < rows.length - 1 && squares[i] > negligible; i++) {
    for (let j = i + 1; j < rows.length; j++) {
      if (squares[j] <= negligible) continue;
      const product = dot(rows[i], rows[j]);
      if (Math.abs(product) <= TOLERANCE * Math.sqrt(squares[i] * squares[j])) continue;
      const zeta = (squares[j] - squares[i]) / (2 * product);
      const tangent = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
      const cosine = 1 / Math.sqrt(1 + tangent * tangent);
      rotatePair(rows[i], rows[j], cosine, cosine * tangent);
      if (along) rotatePair(along[i], along[j], cosine, cosine * tangent);
      squares[i] -= tangent * product;
      squares[j] += tangent * product;
      rotations++;
    }
  }
  return rotations;
}

function rotatePair(a: Float64Array, b: Float64Array, cosine: number, sine: number): void {
  for (let n = 0; n < a.length; n++) {
    const was = a[n];
    a[n] = cosine * was - sine * b[n];
    b[n] = sine * was + cosine * b[n];
  }
}

const length = (row: Float64Array) => Math.sqrt(dot(row, row));
