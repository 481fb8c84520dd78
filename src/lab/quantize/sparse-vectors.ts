// Rows → packed vectors (segment/codes/code-vectors.ts), and what compressors do with them.

import type { CodeVectors, SparseVector } from "../../segment/codes/code-vectors.ts";

/** Packs sparse rows. Drops zeros, so a row is the same whether it was given densely or sparsely. */
export function sparseVectors(rows: readonly SparseVector[], dims: number): CodeVectors {
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
export function writeRow(vectors: CodeVectors, i: number, out: Float32Array): void {
  out.fill(0);
  for (let n = vectors.starts[i]; n < vectors.starts[i + 1]; n++) out[vectors.columns[n]] = vectors.values[n];
}

/** A view of row i. */
export function vectorAt({ starts, columns, values }: CodeVectors, i: number) {
  return {
    columns: columns.subarray(starts[i], starts[i + 1]),
    values: values.subarray(starts[i], starts[i + 1]),
  };
}

/** The transpose. */
export function byColumn({ count, dims, starts, columns, values }: CodeVectors): CodeVectors {
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

/** Yields at most `rows` rows at a time, for work whose scratch space grows with them. */
export function* portions(vectors: CodeVectors, rows: number): Generator<CodeVectors> {
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
