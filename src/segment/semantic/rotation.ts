// Vectors → a rotation that puts their strongest common directions first, or none if it does not pay. Both are decided on a
// sample.

import type { Vectors } from "../../densify/rows.ts";
import { toFloat32s } from "../../support/numbers/float16.ts";
import { completeDirections, findDirections, sumMoments } from "./principal.ts";

/** Vectors in a sample. More take longer and give a slightly better rotation. */
const SAMPLE = 1024;

/** Rounds of iteration. Few are enough: a first plane that is nearly the best gives bounds that are nearly as good. */
const ROUNDS = 3;

/** The fewest documents per dimension for a rotation. With fewer, the matrix takes more bytes than it saves. */
const DOCS_PER_DIM = 16;

/**
 * The matrix for the kernel `rotate`: by columns, as wide as all planes together. The planes before the last have the strongest
 * directions, in order; the last has the rest. Undefined: planes without a rotation, because it is not worth its bytes. "none":
 * no planes, because the vectors are spread out. Most of the matrix is then never computed.
 */
export function createRotation(rows: Vectors, widths: readonly number[]): Float32Array | "none" | undefined {
  const dims = rows.semanticDims;
  const isWorthIt = widths.length > 1 && rows.docs >= DOCS_PER_DIM * dims;
  const moments = isWorthIt ? sumMoments(sampleVectors(rows)) : undefined;
  if (isSpreadOut(rows, widths[0], moments)) return "none";
  if (!moments) return undefined;
  const width = widths.reduce((sum, w) => sum + w, 0);
  const leading = Math.min(dims, width - widths[widths.length - 1]);
  const directions = completeDirections(findDirections(moments, leading, ROUNDS), dims);
  return toMatrix(directions, width, width);
}

/** Directions by columns of `width` numbers, with columns of 0 up to `columns`. */
function toMatrix(directions: readonly Float64Array[], width: number, columns: number): Float32Array {
  const matrix = new Float32Array(columns * width);
  directions.forEach((direction, row) => {
    for (let dim = 0; dim < direction.length; dim++) matrix[dim * width + row] = direction[dim];
  });
  return matrix;
}

/**
 * The share of the squared length outside the first plane from which vectors count as spread out. It is 0.26 for MiniLM's
 * vectors of ACL abstracts, and 0.78 for the synthetic ones of the hybrid bench.
 */
const SPREAD_OUT = 0.6;

/** With fewer dimensions or documents, planes are fast enough and vectors never count as spread out. */
const LEAST_DIMS = 64;
const LEAST_DOCS = 4096;

/** Whether the first plane, rotated or not, has so little of the vectors' length that it says little about the rest. */
function isSpreadOut(rows: Vectors, width: number, moments: readonly Float64Array[] | undefined): boolean {
  const { semanticDims: dims, docs } = rows;
  if (dims < LEAST_DIMS || docs < LEAST_DOCS) return false;
  const matrix = moments && toMatrix(findDirections(moments, width, ROUNDS), width, dims);
  let [all, first] = [0, 0];
  // Not the vectors that the rotation was computed from: it fits those better than others.
  for (const vector of sampleVectors(rows, 0.5)) {
    const head = new Float64Array(width);
    for (let dim = 0; dim < dims; dim++) {
      const x = vector[dim];
      all += x * x;
      if (!matrix) first += dim < width ? x * x : 0;
      else for (let i = 0; i < width; i++) head[i] += x * matrix[dim * width + i];
    }
    for (const x of head) first += x * x;
  }
  return all > 0 && 1 - first / all >= SPREAD_OUT;
}

/** Vectors at even distances. A `shift` between 0 and 1 chooses others. */
function sampleVectors({ docs, semantic, semanticDims }: Vectors, shift = 0): Float32Array[] {
  const count = Math.min(docs, SAMPLE);
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor(((i + shift) * docs) / count) * semanticDims;
    return toFloat32s(semantic.subarray(from, from + semanticDims));
  });
}
