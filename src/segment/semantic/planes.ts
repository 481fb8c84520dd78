// Semantic vectors → planes. Vectors are rotated so that the first dimensions have the largest share of the length, then
// cut into groups of dimensions, the planes: int8, with a scale for each document and plane. A rotation of both sides does
// not change their inner product. The planes after the first add at most the product of the two remainders' lengths
// (Cauchy–Schwarz), so an exact search leaves most of them unread. Vectors without strong common directions are not
// rotated and stay in one plane: its rows are read faster than the same bytes in several planes.

import type { Vectors } from "../../densify/rows.ts";
import { toShortFloats } from "../../support/numbers/short-float.ts";
import { Arena, alignedBytes } from "../../wasm/arena.ts";
import { padDocs, splitIntoWindows } from "../rows/windows.ts";
import { DECODED_AT_ONCE, DecodedVectors } from "./decoded-vectors.ts";
import { createRotation } from "./rotation.ts";

export interface Planes {
  /** Dimensions of each plane, multiples of 16. Together they cover the dimensions of the vectors; extra ones are 0. */
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
  /** By window, plane, document: what a step of a code is worth: a short float. */
  readonly planeScales: Uint16Array;
  /** By window, plane except the last, document: the length of what is in later planes: a short float. */
  readonly planeTails: Uint16Array;
  /** The matrix by columns, as the kernel `rotate` takes it, if vectors are rotated. */
  readonly rotation?: Float32Array;
  /** Whether vectors are many and have no strong common directions. They are then in one plane. */
  readonly isSpreadOut: boolean;
}

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
  const { widths, rotation, isSpreadOut } = shapeFor(rows);
  const windows = splitIntoWindows(rows.docs, windowDocs);
  const padded = windows.reduce((sum, { docs }) => sum + padDocs(docs), 0);
  const all = widths.reduce((sum, width) => sum + width, 0);
  const cut = {
    planes: new Uint8Array(padded * all),
    planeScales: new Uint16Array(padded * widths.length),
    planeTails: new Uint16Array(padded * (widths.length - 1)),
  };
  const cutter = new Cutter(rows, widths, rotation);
  let before = 0;
  const facts = windows.map(({ first, docs }) => {
    const roundings = widths.map(() => 0);
    let longest = 0;
    for (let lane = 0; lane < docs; lane += DECODED_AT_ONCE) {
      const count = Math.min(DECODED_AT_ONCE, docs - lane);
      cutter.load(first + lane, count);
      for (let plane = widths.length - 1, end = all; plane >= 0; plane--) {
        const width = widths[plane];
        end -= width;
        const { codes, scales, tails, rounding } = cutter.cut(plane, end, count);
        cut.planes.set(codes, before * all + padDocs(docs) * end + lane * width);
        cut.planeScales.set(scales, before * widths.length + plane * padDocs(docs) + lane);
        if (tails) cut.planeTails.set(tails, before * (widths.length - 1) + plane * padDocs(docs) + lane);
        roundings[plane] = Math.max(roundings[plane], rounding);
      }
      longest = Math.max(longest, cutter.longest(count));
    }
    before += padDocs(docs);
    return { roundings, longest };
  });
  return { widths, windows: facts, isSpreadOut, ...cut, ...(rotation && { rotation }) };
}

function shapeFor(rows: Vectors): Pick<Planes, "widths" | "rotation" | "isSpreadOut"> {
  const widths = planeWidths(rows.semanticDims);
  const rotation = createRotation(rows, widths);
  if (rotation === "none") {
    return { widths: [widths.reduce((sum, width) => sum + width, 0)], isSpreadOut: true };
  }
  return { widths, isSpreadOut: false, ...(rotation && { rotation }) };
}

/** Decodes some vectors at a time, rotates them and rounds their planes to int8, in WebAssembly. */
class Cutter {
  readonly #widths: readonly number[];
  /** Dimensions of all planes together. */
  readonly #all: number;
  readonly #arena: Arena;
  readonly #decoded: DecodedVectors;
  readonly #matrix: number | undefined;
  /** The vectors that are cut: the decoded ones, or what the rotation made of them. */
  readonly #rows: number;
  readonly #codes: number;
  readonly #scales: number;
  readonly #tails: number;
  /** By vector, float64: the squared length of the planes cut so far. */
  readonly #rests: number;

  constructor(vectors: Vectors, widths: readonly number[], rotation: Float32Array | undefined) {
    const all = widths.reduce((sum, width) => sum + width, 0);
    const most = DECODED_AT_ONCE;
    const sizes = [most * Math.max(...widths), most * 4, most * 4, most * 8];
    const rotated = rotation ? [rotation.byteLength, most * all * 4] : [];
    const arena = new Arena(
      [...sizes, ...rotated].reduce((sum, bytes) => sum + alignedBytes(bytes), 0) +
        DecodedVectors.bytes(vectors, all),
    );
    this.#widths = widths;
    this.#all = all;
    this.#arena = arena;
    [this.#codes, this.#scales, this.#tails, this.#rests] = sizes.map((bytes) => arena.allocate(bytes));
    this.#decoded = new DecodedVectors(arena, vectors, all);
    this.#rows = this.#decoded.rows;
    if (!rotation) return;
    [this.#matrix, this.#rows] = rotated.map((bytes) => arena.allocate(bytes));
    arena.view(Float32Array, this.#matrix, rotation.length).set(rotation);
  }

  /** Begins with other vectors: `count` from number `first` on. */
  load(first: number, count: number): void {
    const arena = this.#arena;
    this.#decoded.decode(first, count);
    arena.view(Float64Array, this.#rests, DECODED_AT_ONCE).fill(0);
    if (this.#matrix === undefined) return;
    arena.kernels.rotate(this.#decoded.rows, padToFours(count), this.#all, this.#matrix, this.#rows);
  }

  /** A plane of the vectors, which begins at a dimension. The planes after it come first. Views are valid until the next call. */
  cut(plane: number, start: number, count: number) {
    const arena = this.#arena;
    const [all, width, isLast] = [this.#all, this.#widths[plane], plane === this.#widths.length - 1];
    const rounding = arena.kernels.cutPlane(
      this.#rows + start * 4,
      all * 4,
      padToFours(count),
      width,
      this.#codes,
      this.#scales,
      this.#rests,
      isLast ? 0 : this.#tails,
    );
    return {
      codes: arena.view(Uint8Array, this.#codes, count * width),
      scales: toShortFloats(arena.view(Float32Array, this.#scales, count)),
      tails: isLast ? undefined : toShortFloats(arena.view(Float32Array, this.#tails, count)),
      rounding: roundUp(rounding),
    };
  }

  /** The length of the longest vector, when all planes are cut. */
  longest(count: number): number {
    const rests = this.#arena.view(Float64Array, this.#rests, count);
    return roundUp(Math.sqrt(rests.reduce((most, rest) => Math.max(most, rest), 0)));
  }
}

function padToFours(count: number): number {
  return Math.ceil(count / 4) * 4;
}

/** A float32 that is not less than x. */
function roundUp(x: number): number {
  return Math.fround(x * (1 + 2 ** -22));
}
