// Vectors to be compressed, packed as sparse rows. A BM25 vector fills a hundred columns of thirty thousand; an embedding
// fills all of its few hundred. The same code serves both: it touches non-zeros only.

import { shuffle } from "../../support/numbers/random.ts";

/** Row i has the entries from `starts[i]` to before `starts[i + 1]`. Its columns ascend, and no value is zero. */
export interface CodeVectors {
  readonly count: number;
  readonly dims: number;
  readonly starts: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float32Array;
}

/** One vector, such as a query. The columns ascend. */
export interface SparseVector {
  readonly columns: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** Copies these rows. */
export function copyRows(all: CodeVectors, rows: Uint32Array): CodeVectors {
  const starts = new Uint32Array(rows.length + 1);
  for (let i = 0; i < rows.length; i++) {
    starts[i + 1] = starts[i] + all.starts[rows[i] + 1] - all.starts[rows[i]];
  }
  const columns = new Uint32Array(starts[rows.length]);
  const values = new Float32Array(starts[rows.length]);
  for (let i = 0; i < rows.length; i++) {
    columns.set(all.columns.subarray(all.starts[rows[i]], all.starts[rows[i] + 1]), starts[i]);
    values.set(all.values.subarray(all.starts[rows[i]], all.starts[rows[i] + 1]), starts[i]);
  }
  return { count: rows.length, dims: all.dims, starts, columns, values };
}

/** A random sample of at most `most` rows, without replacement. */
export function sampleRows(vectors: CodeVectors, most: number, seed: number): CodeVectors {
  if (vectors.count <= most) return vectors;
  return copyRows(vectors, shuffle(vectors.count, seed).subarray(0, most).sort());
}

/**
 * Cuts the vectors into parts: part p has the columns from `cuts[p]` to before `cuts[p + 1]`, numbered from 0. Yields them
 * in order.
 */
export function* cutIntoParts(vectors: CodeVectors, cuts: Uint32Array): Generator<CodeVectors> {
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
