// A sample of vectors → the rotation that puts their strongest common directions first, and whether that is worth it.

import type { Vectors } from "../densify/rows.ts";
import { FLOAT16 } from "../support/float16.ts";
import { completed, principalDirections } from "./principal.ts";

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

/** From this share of the squared length behind the first plane on. On MiniLM's vectors of ACL abstracts it is 0.26, on the hybrid bench's made-up ones 0.78. */
const SPREAD_OUT = 0.6;

/** With fewer dimensions or documents planes are quick enough. */
const LEAST_DIMS = 64;
const LEAST_DOCS = 4096;

/** Whether the first plane, turned or not, holds so little of the vectors that it says little about the rest. */
export function isSpreadOut(
  rows: Vectors,
  rotation: Float32Array | undefined,
  widths: readonly number[],
): boolean {
  if (rows.semanticDims < LEAST_DIMS || rows.docs < LEAST_DOCS) return false;
  const width = widths.reduce((sum, w) => sum + w, 0);
  let [all, first] = [0, 0];
  // Other vectors than the rotation was found with: to those it is better suited.
  for (const vector of sampleOf(rows, 0.5)) {
    const head = new Float64Array(widths[0]);
    for (const [dim, x] of vector.entries()) {
      all += x * x;
      if (!rotation) first += dim < head.length ? x * x : 0;
      else for (let i = 0; i < head.length; i++) head[i] += x * rotation[dim * width + i];
    }
    for (const x of head) first += x * x;
  }
  return all > 0 && 1 - first / all >= SPREAD_OUT;
}

/** Vectors evenly from all; `shift` chooses others. */
function sampleOf({ docs, semantic, semanticDims }: Vectors, shift = 0): Float32Array[] {
  const count = Math.min(docs, SAMPLE);
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor(((i + shift) * docs) / count) * semanticDims;
    return Float32Array.from(semantic.subarray(from, from + semanticDims), (bits) => FLOAT16[bits]);
  });
}
