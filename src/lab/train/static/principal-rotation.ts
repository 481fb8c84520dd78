// Vectors → a rotation after which the first dims hold as much of them as possible: the principal directions, around 0 and not
// around the mean, so that inner products change as little as possible when the last dims are cut off.

import { eigenvectors } from "../../quantize/procrustes.ts";

export interface Rotation {
  /** The dims that are kept. */
  readonly dims: number;
  /** The dims of a vector before. */
  readonly from: number;
  /** dims × from: a direction a row. */
  readonly directions: Float64Array;
}

export function rotationOf(vectors: readonly Float32Array[], dims: number): Rotation {
  const from = vectors[0].length;
  const products = new Float64Array(from * from);
  for (const vector of vectors) {
    for (let i = 0; i < from; i++) {
      const x = vector[i];
      for (let j = i; j < from; j++) products[i * from + j] += x * vector[j];
    }
  }
  for (let i = 0; i < from; i++) {
    for (let j = 0; j < i; j++) products[i * from + j] = products[j * from + i];
  }
  const { directions } = eigenvectors({ dims: from, values: products });
  return { dims, from, directions: directions.values.slice(0, dims * from) };
}

/** Writes the first dims of the turned vector into `out`. */
export function turnInto(
  vector: Float32Array,
  { dims, from, directions }: Rotation,
  out: Float32Array,
): void {
  for (let i = 0; i < dims; i++) {
    let sum = 0;
    for (let j = 0; j < from; j++) sum += directions[i * from + j] * vector[j];
    out[i] = sum;
  }
}
