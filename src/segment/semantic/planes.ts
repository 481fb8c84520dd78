// Semantic vectors → planes. Vectors are rotated so that the first dimensions have the largest share of the length, then
// cut into groups of dimensions, the planes: int8, with a scale for each document and plane. A rotation of both sides does
// not change their inner product. The planes after the first add at most the product of the two remainders' lengths
// (Cauchy–Schwarz), so an exact search leaves most of them unread. Vectors without strong common directions are not
// rotated and stay in one plane: its rows are read faster than the same bytes in several planes.

import type { Vectors } from "../../densify/rows.ts";
import { FLOAT16 } from "../../support/numbers/float16.ts";
import { Arena, alignedBytes } from "../../wasm/arena.ts";
import { padDocs, splitIntoWindows } from "../rows/windows.ts";
import { createRotation } from "./rotation.ts";

export interface Planes {
  /** Dimensions of each plane, multiples of 16. Together they are at least those of the vectors; the extra ones are 0. */
  readonly widths: number[];
  /** By window. */
  readonly windows: {
    /** By plane: the largest length of a document's rounding error, in units of its scale. */
    readonly roundings: number[];
    /** The length of the longest vector. */
    readonly longest: number;
  }[];
  /** By window, plane, document: int8 as bytes. */
  readonly planes: Uint8Array;
  /** By window, plane, document: what a step of a code is worth. */
  readonly planeScales: Float32Array;
  /** By window, plane except the last, document: the length of what is in later planes. */
  readonly planeTails: Float32Array;
  /** The matrix by columns, as the kernel `rotate` takes it, if vectors are rotated. */
  readonly rotation?: Float32Array;
  /** Whether vectors are many and have no strong common directions. They are then in one plane. */
  readonly spreadOut: boolean;
}

/** A double of this size has no bits for a fraction, so adding and subtracting it rounds: faster than Math.round. */
const NO_FRACTION = 1.5 * 2 ** 52;

/** Vectors rotated at a time: as many as fit a processor's cache beside the matrix. */
const ROTATED_AT_ONCE = 512;

/**
 * The shares of the dimensions in the first planes. On real embeddings the first sixth decides most documents of a top 10,
 * the next third nearly all of a dense one.
 */
const SHARES = [1 / 6, 1 / 3];

/** The dimensions of each plane. The last plane has what is left. */
export function planeWidths(dims: number): number[] {
  const widths: number[] = [];
  let left = Math.ceil(dims / 16) * 16;
  for (const share of [...SHARES, 1]) {
    const width = Math.min(left, Math.ceil((dims * share) / 16) * 16);
    if (width > 0) widths.push(width);
    left -= width;
  }
  return widths;
}

export function cutIntoPlanes(rows: Vectors, windowDocs?: number): Planes {
  const { widths, rotation, spreadOut } = shapeFor(rows);
  const windows = splitIntoWindows(rows.docs, windowDocs);
  const padded = windows.reduce((sum, { docs }) => sum + padDocs(docs), 0);
  const all = widths.reduce((sum, width) => sum + width, 0);
  const cut = {
    planes: new Uint8Array(padded * all),
    planeScales: new Float32Array(padded * widths.length),
    planeTails: new Float32Array(padded * (widths.length - 1)),
  };
  const rotator = new Rotator(rows, all, rotation);
  let before = 0;
  const facts = windows.map(({ first, docs }) => {
    const width = padDocs(docs);
    const quantizer = new Quantizer(cut, widths, before, width);
    for (let lane = 0; lane < docs; lane += ROTATED_AT_ONCE) {
      const count = Math.min(ROTATED_AT_ONCE, docs - lane);
      const rotated = rotator.rotate(first + lane, count);
      for (let i = 0; i < count; i++) quantizer.put(lane + i, rotated.subarray(i * all, (i + 1) * all));
    }
    before += width;
    return { roundings: quantizer.roundings, longest: quantizer.longest };
  });
  return { widths, windows: facts, spreadOut, ...cut, ...(rotation && { rotation }) };
}

function shapeFor(rows: Vectors): Pick<Planes, "widths" | "rotation" | "spreadOut"> {
  const widths = planeWidths(rows.semanticDims);
  const rotation = createRotation(rows, widths);
  if (rotation === "none") {
    return { widths: [widths.reduce((sum, width) => sum + width, 0)], spreadOut: true };
  }
  return { widths, spreadOut: false, ...(rotation && { rotation }) };
}

/** Decodes float16 vectors and rotates them, in WebAssembly. */
class Rotator {
  readonly #rows: Vectors;
  readonly #width: number;
  readonly #arena: Arena;
  readonly #vectors: number;
  readonly #matrix: number | undefined;
  readonly #rotated: number;

  constructor(rows: Vectors, width: number, rotation: Float32Array | undefined) {
    const chunk = ROTATED_AT_ONCE * width * 4;
    this.#rows = rows;
    this.#width = width;
    this.#arena = new Arena(2 * alignedBytes(chunk) + alignedBytes(width * width * 4));
    this.#vectors = this.#arena.allocate(chunk);
    this.#rotated = this.#arena.allocate(chunk);
    if (rotation) {
      this.#matrix = this.#arena.allocate(rotation.byteLength);
      this.#arena.view(Float32Array, this.#matrix, rotation.length).set(rotation);
    }
  }

  /** `count` vectors from number `first` on, rotated. Valid until the next call. */
  rotate(first: number, count: number): Float32Array {
    const { semantic, semanticDims } = this.#rows;
    const [arena, width] = [this.#arena, this.#width];
    const vectors = arena.view(Float32Array, this.#vectors, ROTATED_AT_ONCE * width);
    for (let i = 0; i < count; i++) {
      const from = (first + i) * semanticDims;
      for (let dim = 0; dim < semanticDims; dim++) vectors[i * width + dim] = FLOAT16[semantic[from + dim]];
    }
    if (this.#matrix === undefined) return vectors;
    arena.kernels.rotate(this.#vectors, Math.ceil(count / 4) * 4, width, this.#matrix, this.#rotated);
    return arena.view(Float32Array, this.#rotated, ROTATED_AT_ONCE * width);
  }
}

/** Rounds the vectors of a window to int8, and writes them into the planes. */
class Quantizer {
  readonly roundings: number[];
  longest = 0;
  readonly #cut: Pick<Planes, "planes" | "planeScales" | "planeTails">;
  readonly #widths: readonly number[];
  readonly #before: number;
  readonly #docs: number;

  constructor(
    cut: Pick<Planes, "planes" | "planeScales" | "planeTails">,
    widths: readonly number[],
    before: number,
    docs: number,
  ) {
    this.#cut = cut;
    this.#widths = widths;
    this.#before = before;
    this.#docs = docs;
    this.roundings = widths.map(() => 0);
  }

  put(lane: number, vector: Float32Array): void {
    const { planes, planeScales, planeTails } = this.#cut;
    const [widths, docs, before] = [this.#widths, this.#docs, this.#before];
    const all = vector.length;
    let rest = 0; // the squared length of the planes done so far, from the last to the first
    let end = all;
    for (let plane = widths.length - 1; plane >= 0; plane--) {
      const width = widths[plane];
      const start = end - width;
      if (plane < widths.length - 1) {
        planeTails[before * (widths.length - 1) + plane * docs + lane] = roundUp(Math.sqrt(rest));
      }
      let largest = 0;
      for (let dim = start; dim < end; dim++) {
        const x = vector[dim];
        const size = x < 0 ? -x : x;
        if (size > largest) largest = size;
        rest += x * x;
      }
      const scale = Math.fround(largest / 127);
      const codes = before * all + docs * start + lane * width;
      let error = 0;
      if (scale > 0) {
        const perUnit = 1 / scale;
        for (let i = 0; i < width; i++) {
          const x = vector[start + i];
          const code = x * perUnit + NO_FRACTION - NO_FRACTION;
          const missed = x - code * scale;
          planes[codes + i] = code;
          error += missed * missed;
        }
        this.roundings[plane] = Math.max(this.roundings[plane], roundUp(Math.sqrt(error) * perUnit));
      }
      planeScales[before * widths.length + plane * docs + lane] = scale;
      end = start;
    }
    this.longest = Math.max(this.longest, roundUp(Math.sqrt(rest)));
  }
}

/** A float32 that is not less than x. */
function roundUp(x: number): number {
  return Math.fround(x * (1 + 2 ** -22));
}
