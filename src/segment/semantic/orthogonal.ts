// Orthogonal rows, and the sums over rows that making them needs.

/** The direction of a row that is shorter than this share of the longest is rounding error. */
export const NEGLIGIBLE = 1e-6;

/**
 * Scales orthogonal rows, longest first, to length one. Negligible rows are replaced by any direction that is orthogonal
 * to the others.
 */
export function normalize(rows: Float64Array[], lengths: Float64Array): void {
  const covered = new Float64Array(rows.length); // by axis: how much of it the rows done so far span
  for (const [i, row] of rows.entries()) {
    if (lengths[i] > NEGLIGIBLE * lengths[0]) {
      scale(row, 1 / lengths[i]);
    } else {
      row.fill(0);
      row[covered.indexOf(covered.reduce((a, b) => Math.min(a, b)))] = 1;
      // One round leaves rounding errors, two do not.
      for (let round = 0; round < 2; round++) {
        for (const other of rows.slice(0, i)) addMultiple(row, -dot(row, other), other);
        scale(row, 1 / Math.sqrt(dot(row, row)));
      }
    }
    for (let axis = 0; axis < row.length; axis++) covered[axis] += row[axis] ** 2;
  }
}

function scale(row: Float64Array, factor: number): void {
  for (let n = 0; n < row.length; n++) row[n] *= factor;
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  // Four sums side by side: with one, each addition would wait for the one before.
  const fours = a.length & ~3;
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  for (let n = 0; n < fours; n += 4) {
    s0 += a[n] * b[n];
    s1 += a[n + 1] * b[n + 1];
    s2 += a[n + 2] * b[n + 2];
    s3 += a[n + 3] * b[n + 3];
  }
  for (let n = fours; n < a.length; n++) s0 += a[n] * b[n];
  return s0 + s1 + s2 + s3;
}

export function addMultiple(to: Float64Array, factor: number, from: Float64Array): void {
  for (let n = 0; n < to.length; n++) to[n] += factor * from[n];
}
