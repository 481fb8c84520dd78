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
  /** By window, plane, document: what a step of a code is worth. */
  readonly planeScales: Float32Array;
  /** By window, plane except the last, document: the length of what is in later planes. */
  readonly planeTails: Float32Array;
  /** The matrix by columns, as the kernel `rotate` takes it, if vectors are rotated. */
  readonly rotation?: Float32Array;
  /** Whether vectors are many and have no strong common directions. They are then in one plane. */
  readonly isSpreadOut: boolean;
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
  const { widths, rotation, isSpreadOut } = shapeFor(rows);
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
      for (let i = 0; i < count; i += 4) quantizer.putFour(lane + i, rotated, i, count - 1);
    }
    before += width;
    return { roundings: quantizer.roundings, longest: quantizer.longest };
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
    for (let i = 0; i < count; i++)
      decode(semantic, (first + i) * semanticDims, semanticDims, vectors, i * width);
    if (this.#matrix === undefined) return vectors;
    arena.kernels.rotate(this.#vectors, Math.ceil(count / 4) * 4, width, this.#matrix, this.#rotated);
    return arena.view(Float32Array, this.#rotated, ROTATED_AT_ONCE * width);
  }
}

/** Decodes a vector. A function of its own: it is called often, so it is compiled sooner than a loop that runs on. */
function decode(halves: Uint16Array, from: number, count: number, to: Float32Array, at: number): void {
  for (let i = 0; i < count; i++) to[at + i] = FLOAT16[halves[from + i]];
}

/** Rounds the vectors of a window to int8, and writes them into the planes. */
class Quantizer {
  readonly roundings: number[];
  longest = 0;
  readonly #cut: Pick<Planes, "planes" | "planeScales" | "planeTails">;
  readonly #widths: readonly number[];
  /** Dimensions of all planes together. */
  readonly #all: number;
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
    this.#all = widths.reduce((sum, width) => sum + width, 0);
    this.#before = before;
    this.#docs = docs;
    this.roundings = widths.map(() => 0);
  }

  /**
   * Puts the vectors `from` … `from + 3` into the lanes from `lane` on; beyond the last vector, the last one again. Four sums side
   * by side take less than half the time, because an addition waits only for the previous one of its own sum.
   */
  putFour(lane: number, vectors: Float32Array, from: number, last: number): void {
    const { planes, planeScales, planeTails } = this.#cut;
    const [widths, docs, before] = [this.#widths, this.#docs, this.#before];
    const all = this.#all;
    const n1 = Math.min(1, last - from);
    const n2 = Math.min(2, last - from);
    const n3 = Math.min(3, last - from);
    const a = from * all;
    const b = a + n1 * all;
    const c = a + n2 * all;
    const d = a + n3 * all;
    // The squared lengths of the planes done so far, from the last to the first.
    let restA = 0;
    let restB = 0;
    let restC = 0;
    let restD = 0;
    let end = all;
    for (let plane = widths.length - 1; plane >= 0; plane--) {
      const width = widths[plane];
      const start = end - width;
      if (plane < widths.length - 1) {
        const tails = before * (widths.length - 1) + plane * docs + lane;
        planeTails[tails] = roundUp(Math.sqrt(restA));
        planeTails[tails + n1] = roundUp(Math.sqrt(restB));
        planeTails[tails + n2] = roundUp(Math.sqrt(restC));
        planeTails[tails + n3] = roundUp(Math.sqrt(restD));
      }
      const scaleA = scaleOf(vectors, a + start, a + end);
      const scaleB = scaleOf(vectors, b + start, b + end);
      const scaleC = scaleOf(vectors, c + start, c + end);
      const scaleD = scaleOf(vectors, d + start, d + end);
      const perA = perUnit(scaleA);
      const perB = perUnit(scaleB);
      const perC = perUnit(scaleC);
      const perD = perUnit(scaleD);
      let errorA = 0;
      let errorB = 0;
      let errorC = 0;
      let errorD = 0;
      let code = before * all + docs * start + lane * width;
      for (let dim = start; dim < end; dim++) {
        const xA = vectors[a + dim];
        const xB = vectors[b + dim];
        const xC = vectors[c + dim];
        const xD = vectors[d + dim];
        restA += xA * xA;
        restB += xB * xB;
        restC += xC * xC;
        restD += xD * xD;
        const codeA = xA * perA + NO_FRACTION - NO_FRACTION;
        const codeB = xB * perB + NO_FRACTION - NO_FRACTION;
        const codeC = xC * perC + NO_FRACTION - NO_FRACTION;
        const codeD = xD * perD + NO_FRACTION - NO_FRACTION;
        const missedA = xA - codeA * scaleA;
        const missedB = xB - codeB * scaleB;
        const missedC = xC - codeC * scaleC;
        const missedD = xD - codeD * scaleD;
        errorA += missedA * missedA;
        errorB += missedB * missedB;
        errorC += missedC * missedC;
        errorD += missedD * missedD;
        planes[code] = codeA;
        planes[code + n1 * width] = codeB;
        planes[code + n2 * width] = codeC;
        planes[code + n3 * width] = codeD;
        code++;
      }
      this.roundings[plane] = Math.max(
        this.roundings[plane],
        roundUp(Math.sqrt(errorA) * perA),
        roundUp(Math.sqrt(errorB) * perB),
        roundUp(Math.sqrt(errorC) * perC),
        roundUp(Math.sqrt(errorD) * perD),
      );
      const scales = before * widths.length + plane * docs + lane;
      planeScales[scales] = scaleA;
      planeScales[scales + n1] = scaleB;
      planeScales[scales + n2] = scaleC;
      planeScales[scales + n3] = scaleD;
      end = start;
    }
    const longest = Math.sqrt(Math.max(restA, restB, restC, restD));
    this.longest = Math.max(this.longest, roundUp(longest));
  }
}

/** The scale of numbers: their largest becomes 127 or −127. Four at a time, as above. */
function scaleOf(numbers: Float32Array, from: number, to: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let i = from; i < to; i += 4) {
    const w = Math.abs(numbers[i]);
    const x = Math.abs(numbers[i + 1]);
    const y = Math.abs(numbers[i + 2]);
    const z = Math.abs(numbers[i + 3]);
    if (w > a) a = w;
    if (x > b) b = x;
    if (y > c) c = y;
    if (z > d) d = z;
  }
  return Math.fround(Math.max(a, b, c, d) / 127);
}

/** How many steps of a scale are 1; 0 if all numbers are 0. */
function perUnit(scale: number): number {
  return scale > 0 ? 1 / scale : 0;
}

/** A float32 that is not less than x. */
function roundUp(x: number): number {
  return Math.fround(x * (1 + 2 ** -22));
}
