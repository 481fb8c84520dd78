// Vectors to be compressed, packed as sparse rows. A BM25 vector fills a hundred columns of thirty thousand; an embedding
// fills all of its few hundred. The same code serves both: it touches non-zeros only.

import { shuffled } from "../support/random.ts";

/** Row i has the entries from `starts[i]` to before `starts[i + 1]`. Its columns ascend, and no value is zero. */
export interface Vectors {
  readonly count: number;
  readonly dims: number;
  readonly starts: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float32Array;
}

/** One vector, such as a query. Its columns ascend. */
export interface SparseVector {
  readonly columns: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** Packs rows that have a value for every column. */
export function denseVectors(rows: readonly ArrayLike<number>[], dims: number): Vectors {
  const columns = Uint32Array.from({ length: dims }, (_, column) => column);
  return sparseVectors(
    rows.map((values) => ({ columns, values })),
    dims,
  );
}

/** Packs sparse rows. Drops zeros, so a row is the same whether it was given densely or sparsely. */
export function sparseVectors(rows: readonly SparseVector[], dims: number): Vectors {
  const starts = new Uint32Array(rows.length + 1);
  for (const [i, { columns, values }] of rows.entries()) {
    if (columns.length !== values.length) {
      throw new RangeError(`row ${i} has ${values.length} values for ${columns.length} columns`);
    }
    starts[i + 1] = starts[i] + columns.length;
  }
  const columns = new Uint32Array(starts[rows.length]);
  const values = new Float32Array(starts[rows.length]);
  let end = 0;
  for (const [i, row] of rows.entries()) {
    starts[i] = end;
    let before = -1;
    for (let j = 0; j < row.columns.length; j++) {
      const column = row.columns[j];
      if (!(column > before && column < dims)) {
        throw new RangeError(
          `row ${i} has column ${column} after ${before}, expected ascending below ${dims}`,
        );
      }
      before = column;
      values[end] = row.values[j];
      columns[end] = column;
      if (values[end] !== 0) end++; // tested as a float32, because a small double may become 0
    }
  }
  starts[rows.length] = end;
  return { count: rows.length, dims, starts, columns: columns.slice(0, end), values: values.slice(0, end) };
}

/** Writes row i with a value for every column. */
export function rowInto(vectors: Vectors, i: number, out: Float32Array): void {
  out.fill(0);
  for (let n = vectors.starts[i]; n < vectors.starts[i + 1]; n++) out[vectors.columns[n]] = vectors.values[n];
}

/** A view of row i. */
export function vectorAt({ starts, columns, values }: Vectors, i: number) {
  return {
    columns: columns.subarray(starts[i], starts[i + 1]),
    values: values.subarray(starts[i], starts[i + 1]),
  };
}

/** The transpose. */
export function byColumn({ count, dims, starts, columns, values }: Vectors): Vectors {
  const ends = new Uint32Array(dims + 1);
  for (const column of columns) ends[column + 1]++;
  for (let column = 0; column < dims; column++) ends[column + 1] += ends[column];
  const next = ends.slice();
  const rows = new Uint32Array(columns.length);
  const moved = new Float32Array(columns.length);
  for (let i = 0; i < count; i++) {
    for (let n = starts[i]; n < starts[i + 1]; n++) {
      const to = next[columns[n]]++;
      rows[to] = i;
      moved[to] = values[n];
    }
  }
  return { count: dims, dims: count, starts: ends, columns: rows, values: moved };
}

/** A random sample of at most `most` rows, without replacement. */
export function sampled(vectors: Vectors, most: number, seed: number): Vectors {
  if (vectors.count <= most) return vectors;
  const chosen = shuffled(vectors.count, seed).subarray(0, most).sort();
  return sparseVectors(
    Array.from(chosen, (i) => vectorAt(vectors, i)),
    vectors.dims,
  );
}

/** Yields at most `rows` rows at a time, for work whose scratch space grows with them. */
export function* portions(vectors: Vectors, rows: number): Generator<Vectors> {
  const { count, dims, columns, values } = vectors;
  for (let from = 0; from < count; from += rows) {
    const ends = vectors.starts.subarray(from, Math.min(from + rows, count) + 1);
    const [start, end] = [ends[0], ends[ends.length - 1]];
    yield {
      count: ends.length - 1,
      dims,
      starts: ends.map((at) => at - start),
      columns: columns.subarray(start, end),
      values: values.subarray(start, end),
    };
  }
}

/**
 * Cuts the vectors into parts: part p has the columns from `cuts[p]` to before `cuts[p + 1]`, numbered from 0. Yields them
 * in order.
 */
export function* cutInto(vectors: Vectors, cuts: Uint32Array): Generator<Vectors> {
  const { count, columns, values } = vectors;
  const from = vectors.starts.slice(0, -1); // by row: the first entry that is in no earlier part
  for (let part = 0; part + 1 < cuts.length; part++) {
    const starts = new Uint32Array(count + 1);
    for (let i = 0; i < count; i++) {
      let end = from[i];
      while (end < vectors.starts[i + 1] && columns[end] < cuts[part + 1]) end++;
      starts[i + 1] = starts[i] + end - from[i];
    }
    const partColumns = new Uint32Array(starts[count]);
    const partValues = new Float32Array(starts[count]);
    for (let i = 0; i < count; i++) {
      for (let to = starts[i]; to < starts[i + 1]; to++, from[i]++) {
        partColumns[to] = columns[from[i]] - cuts[part];
        partValues[to] = values[from[i]];
      }
    }
    const dims = cuts[part + 1] - cuts[part];
    yield { count, dims, starts, columns: partColumns, values: partValues };
  }
}
