// Vectors → sketches: a 4-bit product code for every four dimensions, and the length of what the sketch misses. If vectors
// have no strong common directions, a first plane says little about the rest, and a rough view of all dimensions says more.
//
// Centroids are means, so a sketch s(d) is too short along its vector d, where a good match needs it. Stretched by
// |d|² / (d·s(d)) the sketch is right along d, and its error is orthogonal to d. The product of that error with a query is
// about normal around 0, with a standard deviation of |query| · |missed| / √dims. That is not a bound, so the plan `exact`
// does not use sketches.

import type { Vectors } from "../../densify/rows.ts";
import type { ProductShape } from "../codes/product-codes.ts";
import { trainProductCoder } from "../codes/product-training.ts";
import { type SketchArrays, sketchPlainly, toRows } from "./plain-sketches.ts";
import { hasPartsOfFour, sketchInFours } from "./sketch-fours.ts";

interface Sketch extends SketchArrays {
  readonly shape: ProductShape;
  readonly sketchBooks: Float32Array;
}

/** Documents to learn from: enough for sixteen centroids in four dimensions. */
const SAMPLE = 4096;
/** Rounds of k-means. */
const ITERATIONS = 6;

export function createSketches(vectors: Vectors, windowDocs?: number): Sketch {
  const parts = 2 * Math.floor(vectors.semanticDims / 8);
  const coder = trainProductCoder(toRows(vectors), {
    parts,
    bits: 4,
    sample: SAMPLE,
    iterations: ITERATIONS,
  });
  const sketch = hasPartsOfFour(coder) ? sketchInFours : sketchPlainly;
  return { shape: coder.shape, sketchBooks: coder.codebooks, ...sketch(vectors, coder, windowDocs) };
}
