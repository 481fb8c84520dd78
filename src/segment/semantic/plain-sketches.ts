// The definition of a sketch, in plain TypeScript: the codes of a vector, and how far they are from it. It takes parts of any
// width; sketch-fours.ts is faster where all have four dimensions.

import type { Rows, Vectors } from "../../densify/rows.ts";
import { FLOAT16 } from "../../support/numbers/float16.ts";
import { toShortFloat } from "../../support/numbers/short-float.ts";
import { codeAt } from "../codes/code-shape.ts";
import type { ProductCoder } from "../codes/product-codes.ts";
import { padDocs, splitIntoWindows } from "../rows/windows.ts";

export interface SketchArrays {
  /** By window, in the layout of code-shape.ts. */
  readonly sketchCodes: Uint8Array;
  /** By window and document, padded: the factor that a sketch is stretched by. */
  readonly sketchStretch: Float32Array;
  /** By window and document, padded: the length of what the stretched sketch misses, a short float. */
  readonly sketchMissed: Uint16Array;
}

export function sketchPlainly(vectors: Vectors, coder: ProductCoder, windowDocs?: number): SketchArrays {
  const sketchCodes = coder.encode(toRows(vectors), windowDocs);
  return { sketchCodes, ...measure(vectors, coder, sketchCodes, windowDocs) };
}

/** Rows that have nothing but vectors. */
export function toRows(vectors: Vectors): Rows {
  return {
    ...vectors,
    dims: 0,
    starts: new Uint32Array(vectors.docs + 1),
    slices: new Uint16Array(0),
    indices: new Uint8Array(0),
    values: new Uint16Array(0),
  };
}

/** Compares sketches with their vectors: how much to stretch them, and what they miss. */
function measure(
  { docs, semantic, semanticDims }: Vectors,
  coder: ProductCoder,
  codes: Uint8Array,
  windowDocs?: number,
): Pick<SketchArrays, "sketchStretch" | "sketchMissed"> {
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
