// The orthogonal Procrustes problem: the rotation R that brings X nearest to Y, ‖XR − Y‖ least, is U·Vᵀ where U·Σ·Vᵀ is
// the singular value decomposition of XᵀY (Schönemann 1966).
//
// The decomposition is by one-sided Jacobi rotations (Hestenes 1958), which is short and exact to the last digits: pairs
// of rows are turned until all are at right angles; then row i is σᵢ·vᵢ. A start near the answer saves sweeps.

/** A square matrix, row by row. */
export interface Square {
  readonly dims: number;
  readonly values: Float64Array;
}

export interface Procrustes {
  /** U·Vᵀ. */
  readonly rotation: Square;
  /** Uᵀ: a good start for a matrix that differs a little. */
  readonly left: Square;
  /** The singular values, in the order of the rows of `left`. */
  readonly singular: Float64Array;
}

/** Two rows whose cosine is below this are at right angles. */
const TOLERANCE = 1e-7;
const MOST_SWEEPS = 30;

export function identity(dims: number): Square {
  const values = new Float64Array(dims * dims);
  for (let i = 0; i < dims; i++) values[i * dims + i] = 1;
  return { dims, values };
}

/** The orthogonal matrix nearest to `matrix`. `start` holds orthonormal rows, such as `left` of an earlier call. */
export function procrustes(matrix: Square, start: Square = identity(matrix.dims)): Procrustes {
  const { dims } = matrix;
  const left = rowsOf(start);
  const turned = rowsOf(product(start, matrix));
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    const t = performance.now();
    const n = sweepOnce(turned, left);
    console.log("sweep", sweep, n, performance.now() - t);
    if (n === 0) break;
  }
  const singular = Float64Array.from(turned, (row) => Math.sqrt(dot(row, row)));
  normalise(turned, singular, left);

  const values = new Float64Array(dims * dims);
  for (let row = 0; row < dims; row++) {
    const to = values.subarray(row * dims, (row + 1) * dims);
    for (let i = 0; i < dims; i++) addMultiple(to, left[i][row], turned[i]);
  }
  return { rotation: { dims, values }, left: joined(left), singular };
}

/** a · b. Rows of zeros and zeros in rows cost nothing, so a unit matrix is free. */
export function product(a: Square, b: Square): Square {
  const { dims } = a;
  const values = new Float64Array(dims * dims);
  for (let i = 0; i < dims; i++) {
    const row = values.subarray(i * dims, (i + 1) * dims);
    for (let j = 0; j < dims; j++) {
      const factor = a.values[i * dims + j];
      if (factor !== 0) addMultiple(row, factor, b.values.subarray(j * dims, (j + 1) * dims));
    }
  }
  return { dims, values };
}

/** Turns every pair of rows once, where needed, and `left` along with them. Returns how many pairs needed it. */
function sweepOnce(turned: Float64Array[], left: Float64Array[]): number {
  const dims = turned.length;
  const order = turned
    .map((row, i) => ({ norm: dot(row, row), row, left: left[i] }))
    .sort((a, b) => b.norm - a.norm);
  for (const [i, o] of order.entries()) {
    turned[i] = o.row;
    left[i] = o.left;
  }
  const norms = Float64Array.from(order, (o) => o.norm);
  const negligible = norms.reduce((a, b) => Math.max(a, b), 0) * 1e-12;
  let turns = 0;
  for (let i = 0; i < dims - 1; i++) {
    for (let j = i + 1; j < dims; j++) {
      if (norms[i] <= negligible || norms[j] <= negligible) continue;
      const product = dot(turned[i], turned[j]);
      if (Math.abs(product) <= TOLERANCE * Math.sqrt(norms[i] * norms[j])) continue;
      const zeta = (norms[j] - norms[i]) / (2 * product);
      const tangent = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
      const cosine = 1 / Math.sqrt(1 + tangent * tangent);
      turn(turned[i], turned[j], cosine, cosine * tangent);
      turn(left[i], left[j], cosine, cosine * tangent);
      norms[i] -= tangent * product;
      norms[j] += tangent * product;
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

/**
 * Rows of length one. A row without length is free: any direction at right angles to the others does, first its own
 * in `left`, so that what the matrix does not mention is left as it is; then the axes, of which one must have room.
 */
function normalise(rows: Float64Array[], lengths: Float64Array, left: Float64Array[]): void {
  const longest = lengths.reduce((a, b) => Math.max(a, b), 0);
  const done: Float64Array[] = [];
  const free: number[] = [];
  for (const [i, row] of rows.entries()) {
    if (lengths[i] <= longest * 1e-6) {
      free.push(i);
      continue;
    }
    for (let n = 0; n < row.length; n++) row[n] /= lengths[i];
    done.push(row);
  }
  for (const i of free) {
    const row = rows[i];
    row.set(left[i]);
    for (let axis = 0; !straighten(row, done); axis++) {
      row.fill(0);
      row[axis] = 1;
    }
    done.push(row);
  }
}

/** Takes out of `row` what lies along the others and makes it of length one; false when too little is left. */
function straighten(row: Float64Array, others: Float64Array[]): boolean {
  // Once is not enough for right angles to the last digits, twice is.
  let length = 0;
  for (let round = 0; round < 2; round++) {
    for (const other of others) addMultiple(row, -dot(row, other), other);
    length = Math.sqrt(dot(row, row));
    if (length < 0.5 / Math.sqrt(row.length)) return false;
  }
  for (let n = 0; n < row.length; n++) row[n] /= length;
  return true;
}

function dot(a: Float64Array, b: Float64Array): number {
  // Four sums side by side: one alone waits for each addition to end.
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

function addMultiple(to: Float64Array, factor: number, from: Float64Array): void {
  for (let n = 0; n < to.length; n++) to[n] += factor * from[n];
}

function rowsOf({ dims, values }: Square): Float64Array[] {
  return Array.from({ length: dims }, (_, i) => values.slice(i * dims, (i + 1) * dims));
}

function joined(rows: Float64Array[]): Square {
  const dims = rows.length;
  const values = new Float64Array(dims * dims);
  for (const [i, row] of rows.entries()) values.set(row, i * dims);
  return { dims, values };
}
