// The singular value decomposition by one-sided Jacobi rotations (Hestenes 1958): pairs of rows are turned until all
// stand at right angles. Turning is multiplying by an orthogonal matrix from the left, so of M = U·Σ·Vᵀ what remains is
// Uᵀ·M = Σ·Vᵀ: rows of length σ along v.

import { addMultiple, dot } from "./matrix.ts";

/** Two rows whose cosine is below this stand at right angles. */
const TOLERANCE = 1e-7;

/** Rows shorter than this share of the longest are left alone: their direction means nothing, and takes many sweeps. */
const NEGLIGIBLE = 1e-6;

/** About ten are usual. */
const MOST_SWEEPS = 40;

/** Turns the rows in place, longest first, and those of `along` with them. Returns their lengths. */
export function makeOrthogonal(rows: Float64Array[], along?: Float64Array[]): Float64Array {
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    // Longest first, and the negligible left alone, took 12 sweeps where any order and all rows took 26.
    sortByLength(rows, along);
    if (sweepOnce(rows, along) === 0) break;
  }
  return Float64Array.from(rows, length);
}

/**
 * Makes rows that stand at right angles, longest first, of length one. The negligible ones are replaced: any direction
 * at right angles to the others does.
 */
export function normalise(rows: Float64Array[], lengths: Float64Array): void {
  const lying = new Float64Array(rows.length); // by axis, how much of it lies along the rows done
  for (const [i, row] of rows.entries()) {
    if (lengths[i] > NEGLIGIBLE * lengths[0]) {
      scale(row, 1 / lengths[i]);
    } else {
      row.fill(0);
      row[lying.indexOf(lying.reduce((a, b) => Math.min(a, b)))] = 1;
      // Once leaves rounding errors, twice does not.
      for (let round = 0; round < 2; round++) {
        for (const other of rows.slice(0, i)) addMultiple(row, -dot(row, other), other);
        scale(row, 1 / length(row));
      }
    }
    for (let axis = 0; axis < row.length; axis++) lying[axis] += row[axis] ** 2;
  }
}

function sortByLength(rows: Float64Array[], along?: Float64Array[]): void {
  const lengths = rows.map(length);
  const order = [...rows.keys()].sort((a, b) => lengths[b] - lengths[a] || a - b);
  for (const list of along ? [rows, along] : [rows]) {
    const before = [...list];
    for (const [to, from] of order.entries()) list[to] = before[from];
  }
}

/** Turns every pair of rows that needs it once. Returns how many did. */
function sweepOnce(rows: Float64Array[], along?: Float64Array[]): number {
  const squares = Float64Array.from(rows, (row) => dot(row, row));
  const negligible = NEGLIGIBLE ** 2 * squares[0];
  let turns = 0;
  for (let i = 0; i < rows.length - 1 && squares[i] > negligible; i++) {
    for (let j = i + 1; j < rows.length; j++) {
      if (squares[j] <= negligible) continue;
      const product = dot(rows[i], rows[j]);
      if (Math.abs(product) <= TOLERANCE * Math.sqrt(squares[i] * squares[j])) continue;
      const zeta = (squares[j] - squares[i]) / (2 * product);
      const tangent = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
      const cosine = 1 / Math.sqrt(1 + tangent * tangent);
      turn(rows[i], rows[j], cosine, cosine * tangent);
      if (along) turn(along[i], along[j], cosine, cosine * tangent);
      squares[i] -= tangent * product;
      squares[j] += tangent * product;
      turns++;
    }
  }
  return turns;
}

function turn(a: Float64Array, b: Float64Array, cosine: number, sine: number): void {
  for (let n = 0; n < a.length; n++) {
    const was = a[n];
    a[n] = cosine * was - sine * b[n];
    b[n] = sine * was + cosine * b[n];
  }
}

function scale(row: Float64Array, factor: number): void {
  for (let n = 0; n < row.length; n++) row[n] *= factor;
}

const length = (row: Float64Array) => Math.sqrt(dot(row, row));
