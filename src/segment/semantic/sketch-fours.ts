// Vectors → the codes of their sketches, and how far those are from the vectors, in WebAssembly. It takes vectors whose parts all
// have four dimensions; plain-sketches.ts has the definition, for parts of any width.

import type { Vectors } from "../../densify/rows.ts";
import { toShortFloats } from "../../support/numbers/short-float.ts";
import { Arena, alignedBytes } from "../../wasm/arena.ts";
import type { ProductCoder } from "../codes/product-codes.ts";
import { padDocs, splitIntoWindows } from "../rows/windows.ts";
import { DECODED_AT_ONCE, DecodedVectors } from "./decoded-vectors.ts";
import type { SketchArrays } from "./plain-sketches.ts";

/** Dimensions of a part. */
const DIMS = 4;
/** Centroids of a part. */
const CENTROIDS = 16;

/** Whether all parts of a vector have four dimensions, so that the kernels take them. */
export function hasPartsOfFour({ parts, bits, dims, semanticDims }: ProductCoder): boolean {
  return bits === 4 && dims === 0 && semanticDims === DIMS * parts;
}

export function sketchInFours(vectors: Vectors, coder: ProductCoder, windowDocs?: number): SketchArrays {
  const { parts, codebooks } = coder;
  const { docs, semanticDims: dims } = vectors;
  const most = DECODED_AT_ONCE;
  const codeBytes = parts / 2;
  const sizes = [
    codebooks.byteLength,
    codebooks.byteLength,
    parts * CENTROIDS * 4,
    most * codeBytes,
    most * 4,
    most * 4,
  ];
  const arena = new Arena(
    sizes.reduce((sum, bytes) => sum + alignedBytes(bytes), 0) + DecodedVectors.bytes(vectors, dims),
  );
  const [books, centroids, halves, codes, stretches, missed] = sizes.map((bytes) => arena.allocate(bytes));
  arena.view(Float32Array, books, codebooks.length).set(codebooks);
  arena.view(Float32Array, centroids, codebooks.length).set(centroidsByPart(codebooks));
  arena.view(Float32Array, halves, parts * CENTROIDS).set(halfNorms(codebooks));
  const decoded = new DecodedVectors(arena, vectors, dims);
  const windows = splitIntoWindows(docs, windowDocs);
  const all = windows.reduce((sum, window) => sum + padDocs(window.docs), 0);
  const sketchCodes = new Uint8Array(all * codeBytes);
  const [sketchStretch, sketchMissed] = [new Float32Array(all), new Uint16Array(all)];
  let before = 0;
  for (const { first, docs: count } of windows) {
    for (let lane = 0; lane < count; lane += most) {
      const some = Math.min(most, count - lane);
      const padded = padDocs(some);
      const [{ rows }, { kernels }] = [decoded, arena];
      decoded.decode(first + lane, some);
      kernels.sketchCodes(rows, dims * 4, padded, parts, books, halves, codes);
      kernels.measureSketches(rows, dims * 4, padded, parts, centroids, codes, stretches, missed);
      clearLanes(arena.view(Uint8Array, codes, padded * codeBytes), some);
      const at = before + lane;
      sketchCodes.set(arena.view(Uint8Array, codes, padded * codeBytes), at * codeBytes);
      sketchStretch.set(arena.view(Float32Array, stretches, some), at);
      sketchMissed.set(toShortFloats(arena.view(Float32Array, missed, some)), at);
    }
    before += padDocs(count);
  }
  return { sketchCodes, sketchStretch, sketchMissed };
}

/** The centroids of a part one after another, from a codebook that has them dimension by dimension. */
function centroidsByPart(codebooks: Float32Array): Float32Array {
  const centroids = new Float32Array(codebooks.length);
  for (let i = 0; i < codebooks.length; i++) {
    const [dim, centroid] = [Math.floor(i / CENTROIDS), i % CENTROIDS];
    const part = Math.floor(dim / DIMS);
    centroids[(part * CENTROIDS + centroid) * DIMS + (dim % DIMS)] = codebooks[i];
  }
  return centroids;
}

/** −½‖c‖² of every centroid, part by part. */
function halfNorms(codebooks: Float32Array): Float32Array {
  const norms = new Float64Array(codebooks.length / DIMS);
  for (let i = 0; i < codebooks.length; i++) {
    const part = Math.floor(i / (DIMS * CENTROIDS));
    norms[part * CENTROIDS + (i % CENTROIDS)] += codebooks[i] * codebooks[i];
  }
  return Float32Array.from(norms, (norm) => -norm / 2);
}

/** Sets the codes of lanes from `docs` on, in the last group of sixteen, to 0. */
function clearLanes(codes: Uint8Array, docs: number): void {
  if (docs % 16 === 0) return;
  const groupBytes = (codes.length / padDocs(docs)) * 16;
  for (let at = codes.length - groupBytes; at < codes.length; at += 16)
    codes.fill(0, at + (docs % 16), at + 16);
}
