// Vectors → sketches: a 4-bit product code for every four dimensions, and the length of what the sketch misses. If vectors
// have no strong common directions, a first plane says little about the rest, and a rough view of all dimensions says more.
//
// Centroids are means, so a sketch s(d) is too short along its vector d, where a good match needs it. Stretched by
// |d|² / (d·s(d)) it is right along d, and what it misses is orthogonal to d. The product of what it misses with a query is
// about normal around 0, with a standard deviation of |query| · |missed| / √dims. That is not a bound, so the plan `exact`
// does not use sketches.

import type { Rows, Vectors } from "../../densify/rows.ts";
import { FLOAT16 } from "../../support/numbers/float16.ts";
import { toShortFloat } from "../../support/numbers/short-float.ts";
import { codeAt } from "../codes/code-shape.ts";
import type { ProductCoder, ProductShape } from "../codes/product-codes.ts";
import { trainProductCoder } from "../codes/product-training.ts";
import { padDocs, splitIntoWindows } from "../rows/windows.ts";

interface Sketch {
  readonly shape: ProductShape;
  readonly sketchBooks: Float32Array;
  /** By window, in the layout of code-shape.ts. */
  readonly sketchCodes: Uint8Array;
  /** By window and document, padded: the factor that a sketch is stretched by. */
  readonly sketchStretch: Float32Array;
  /** By window and document, padded: the length of what the stretched sketch misses, a short float. */
  readonly sketchMissed: Uint16Array;
}

/** Documents to learn from: enough for sixteen centroids in four dimensions. */
const SAMPLE = 4096;
/** Rounds of k-means. */
const ITERATIONS = 6;

export function createSketches(rows: Vectors, windowDocs?: number): Sketch {
  const { semanticDims, docs } = rows;
  const vectors: Rows = {
    ...rows,
    dims: 0,
    starts: new Uint32Array(docs + 1),
    slices: new Uint16Array(0),
    indices: new Uint8Array(0),
    values: new Uint16Array(0),
  };
  const parts = 2 * Math.floor(semanticDims / 8);
  const coder = trainProductCoder(vectors, { parts, bits: 4, sample: SAMPLE, iterations: ITERATIONS });
  const sketchCodes = coder.encode(vectors, windowDocs);
  return {
    shape: coder.shape,
    sketchBooks: coder.codebooks,
    sketchCodes,
    ...measure(vectors, coder, sketchCodes, windowDocs),
  };
}

/** Compares sketches with their vectors: how much to stretch them, and what they miss. */
function measure(
  { docs, semantic, semanticDims }: Vectors,
  coder: ProductCoder,
  codes: Uint8Array,
  windowDocs?: number,
): Pick<Sketch, "sketchStretch" | "sketchMissed"> {
  const windows = splitIntoWindows(docs, windowDocs);
  const all = windows.reduce((sum, window) => sum + padDocs(window.docs), 0);
  const [sketchStretch, sketchMissed] = [new Float32Array(all), new Uint16Array(all)];
  const { bits, codebooks } = coder;
  const ends = new Uint16Array(coder.parts); // by part: the dimension after its last
  for (let dim = 0; dim < semanticDims; dim++) ends[coder.partOf(dim)] = dim + 1;
  let [padded, bytes] = [0, 0];
  // Hot loop: V8 optimizes a function that is called for each document sooner and better than the body of one long loop.
  const measureOne = (own: Uint8Array, lane: number, vector: number) => {
    let squares = 0;
    let products = 0;
    let sketchSquares = 0;
    for (let part = 0, dim = 0; part < ends.length; part++) {
      const code = codeAt(own, coder, lane, part);
      for (const end = ends[part]; dim < end; dim++) {
        const value = FLOAT16[semantic[vector + dim]];
        const sketched = codebooks[(dim << bits) + code];
        squares += value * value;
        products += value * sketched;
        sketchSquares += sketched * sketched;
      }
    }
    const stretch = products > 0 ? squares / products : 0;
    sketchStretch[padded + lane] = stretch;
    const missed = stretch === 0 ? squares : Math.max(0, stretch * stretch * sketchSquares - squares);
    sketchMissed[padded + lane] = toShortFloat(Math.sqrt(missed));
  };
  for (const { first, docs: count } of windows) {
    const size = coder.windowBytes(count);
    const own = codes.subarray(bytes, bytes + size);
    for (let lane = 0; lane < count; lane++) measureOne(own, lane, (first + lane) * semanticDims);
    padded += padDocs(count);
    bytes += size;
  }
  return { sketchStretch, sketchMissed };
}
