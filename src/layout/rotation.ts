// A sample of vectors → the rotation that puts their strongest common directions first.

import { FLOAT16 } from "../kernel/float16.ts";
import type { Vectors } from "../kernel/rows.ts";
import { completed, principalDirections } from "../quantize/principal.ts";

/** Vectors looked at. */
const SAMPLE = 1024;

/** Few rounds of iteration: a head that is nearly best bounds nearly as well. */
const ROUNDS = 3;

/** With fewer documents the matrix would outweigh what it saves. */
const DOCS_PER_DIM = 16;

/**
 * The matrix as `rotate` takes it (by columns, as wide as all planes together), or none where it is not worth its
 * bytes. The dimensions of all planes but the last are the strongest directions, in order; the last has the rest.
 */
export function rotationFor(rows: Vectors, widths: readonly number[]): Float32Array | undefined {
  const dims = rows.semanticDims;
  if (widths.length === 1 || rows.docs < DOCS_PER_DIM * dims) return undefined;
  const width = widths.reduce((sum, w) => sum + w, 0);
  const leading = Math.min(dims, width - widths[widths.length - 1]);
  const directions = completed(principalDirections(sampleOf(rows), leading, ROUNDS), dims);
  const matrix = new Float32Array(width * width);
  directions.forEach((direction, row) => {
    for (let dim = 0; dim < dims; dim++) matrix[dim * width + row] = direction[dim];
  });
  return matrix;
}

function sampleOf({ docs, semantic, semanticDims }: Vectors): Float32Array[] {
  const count = Math.min(docs, SAMPLE);
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * docs) / count) * semanticDims;
    return Float32Array.from(semantic.subarray(from, from + semanticDims), (bits) => FLOAT16[bits]);
  });
}
