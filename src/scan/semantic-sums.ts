// The semantic part of a window: a query's vector → what each document's vector can score, plane after plane.

import { type LookUps, ProductCoder } from "../segment/product-codes.ts";
import { paddedDocs } from "../segment/windows.ts";
import { type PlacedWindow, type Placement, VECTORS } from "./memories.ts";

/** A query's vector, λ included, as the planes of a segment take it. */
export interface PlaneQuery {
  readonly vector: Float32Array;
  /** Its length. */
  readonly length: number;
  readonly planes: readonly {
    readonly codes: Int16Array;
    /** What one unit of an integer product is worth. */
    readonly unit: number;
    /** The length of this plane's part. */
    readonly length: number;
    /** The length of the parts in later planes. */
    readonly tail: number;
  }[];
  /** Where vectors have sketches: what to look up in them. */
  readonly sketch: LookUps | undefined;
}

const NO_WORDS = {
  slices: new Uint32Array(0),
  indices: new Uint16Array(0),
  values: new Float32Array(0),
};

export class SemanticWindows {
  readonly #windows: readonly { readonly roundings: readonly number[]; readonly longest: number }[];
  readonly #rotation: Rotation | undefined;
  readonly #widths: readonly number[];
  readonly #all: number;
  readonly #sketch: ProductCoder | undefined;
  readonly #turnedLast: Float64Array;
  /** Where vectors themselves stand in for the last plane: their dimensions; else 0. */
  readonly #vectorDims: number;

  constructor({ meta, arrays, vectorDims }: Placement, windows: readonly PlacedWindow[]) {
    this.#vectorDims = vectorDims;
    this.#windows = meta.semantic!.windows;
    this.#widths = meta.semantic!.widths;
    this.#all = this.#widths.reduce((sum, width) => sum + width, 0);
    this.#turnedLast = new Float64Array(this.#all);
    this.#rotation = meta.semantic!.rotated ? new Rotation(windows[0], this.#all) : undefined;
    const { sketch } = meta.semantic!;
    this.#sketch = sketch && new ProductCoder(sketch, arrays.sketchBooks as Float32Array);
  }

  prepare(vector: Float32Array): PlaneQuery {
    const turned = this.#turned(vector);
    let start = 0;
    const planes = this.#widths.map((width) => {
      const part = turned.subarray(start, start + width);
      start += width;
      let largest = 0;
      for (let i = 0; i < width; i++) largest = Math.max(largest, Math.abs(part[i]));
      const unit = largest / mostCode(width);
      const codes = new Int16Array(width);
      for (let i = 0; unit > 0 && i < width; i++) codes[i] = Math.round(part[i] / unit);
      const [length, tail] = [part, turned.subarray(start)].map((some) => Math.sqrt(squares(some)));
      return { codes, unit, length, tail };
    });
    const sketch = this.#sketch?.lookUps({ ...NO_WORDS, semantic: vector });
    return { vector, length: Math.sqrt(squares(turned)), planes, sketch };
  }

  /** The most that any document of the window can score, from the vectors' lengths alone. */
  most(w: number, query: PlaneQuery): number {
    return query.length * this.#facts(w).longest;
  }

  /** How far the turning, float32 and the query's rounding can be off, in all: a bound, not an estimate. */
  slack(w: number, query: PlaneQuery): number {
    const dims = this.#all;
    const rounding = query.planes.reduce(
      (sum, { codes, unit }) => sum + (unit / 2) * Math.sqrt(codes.length),
      0,
    );
    const perLength = 2 * dims ** 1.5 * 2 ** -24 + 2 ** -18; // both sides are turned in float32
    return this.#facts(w).longest * (rounding + query.length * perLength);
  }

  /** Of a document in a plane: codes, scale, and the tail where there is one. */
  bytesOf(plane: number): number {
    return this.#widths[plane] + (plane === this.#widths.length - 1 ? 4 : 8);
  }

  /** Estimates all documents by their sketches, beside the sums. */
  estimate({ arena, scratch, at, docs }: PlacedWindow, { sketch }: PlaneQuery): void {
    const { tables } = sketch!;
    arena.view(Uint8Array, scratch.tables, tables.length).set(tables);
    this.#sketch!.scan(arena.kernels, at.sketchCodes, docs, scratch.tables, sketch!, scratch.estimates);
    arena.kernels.scaleAndAdd(scratch.estimates, paddedDocs(docs), at.sketchStretch, scratch.sums);
  }

  /** Lists the documents that reach the floor unless their sketches miss more than so many deviations. */
  reachingBySketch(
    { arena, scratch, at, docs }: PlacedWindow,
    { sketch, length }: PlaneQuery,
    deviations: number,
    floor: number,
  ): number {
    // Look-ups are bytes, off by half a step a part at most, and mostly in different directions.
    const least = floor - sketch!.scale * Math.sqrt(this.#sketch!.parts);
    const weight = (length * deviations) / Math.sqrt(this.#sketch!.semanticDims);
    return arena.kernels.reaching(
      scratch.estimates,
      docs,
      at.sketchMissed,
      weight,
      least,
      scratch.places,
      docs,
    );
  }

  /** Bytes a document's sketch takes. */
  get sketchBytes(): number {
    return this.#sketch!.windowBytes(16) / 16 + 8;
  }

  /** Those that can be scanned. */
  get planes(): number {
    return this.#widths.length - (this.endsWithVectors ? 1 : 0);
  }

  /** Whether sums are finished, one by one, by the vectors themselves: planes alone leave something out. */
  get endsWithVectors(): boolean {
    return this.#vectorDims > 0;
  }

  /** Adds a plane to the sums of all documents. */
  scanPlane(w: number, window: PlacedWindow, query: PlaneQuery, plane: number): void {
    if (plane === 0 && this.endsWithVectors) {
      const [words, sums] = [window.scratch.words, window.scratch.sums].map((at) =>
        window.arena.view(Float32Array, at, window.docs),
      );
      words.set(sums);
    }
    const { codes, scales, width, vector, unit, bias } = this.#operands(w, window, query, plane);
    const { kernels } = window.arena;
    kernels.planeScan(codes, scales, width, paddedDocs(window.docs), vector, unit, bias, window.scratch.sums);
  }

  /**
   * Lists the documents whose sum, with what planes after this one can add, reaches the floor; where they are more than
   * `most`, not all of them. With `deviations`, later planes add at most so many deviations from nothing.
   */
  reachingAfter(
    window: PlacedWindow,
    query: PlaneQuery,
    plane: number,
    deviations: number | undefined,
    floor: number,
    most: number,
  ): number {
    const { arena, scratch, docs, at } = window;
    const last = plane === this.#widths.length - 1;
    const tails = last ? 0 : at.planeTails + plane * paddedDocs(docs) * 4;
    const weight = this.#tailWeight(query, plane, deviations);
    return arena.kernels.reaching(scratch.sums, docs, tails, weight, floor, scratch.places, most);
  }

  /** Adds the planes from `plane` on to listed documents, dropping those that cannot reach the floor, as above. */
  refine(
    w: number,
    window: PlacedWindow,
    query: PlaneQuery,
    plane: number,
    listed: number,
    deviations: number | undefined,
    floor: number,
    counts?: { bytes: number },
  ): number {
    const { arena, scratch, at } = window;
    let left = listed;
    if (plane === 0 && this.endsWithVectors) {
      arena.kernels.copyListed(scratch.places, listed, scratch.sums, scratch.words);
    }
    for (let p = plane; p < this.planes && left > 0; p++) {
      const { codes, scales, width, vector, unit, bias } = this.#operands(w, window, query, p);
      const last = p === this.#widths.length - 1;
      if (counts) counts.bytes += left * this.bytesOf(p);
      left = arena.kernels.planeRefine(
        codes,
        scales,
        width,
        vector,
        unit,
        bias,
        last ? 0 : at.planeTails + p * paddedDocs(window.docs) * 4,
        this.#tailWeight(query, p, deviations),
        scratch.places,
        left,
        scratch.sums,
        floor,
      );
    }
    return this.endsWithVectors ? this.#finish(window, query, left, floor, counts) : left;
  }

  /** Words and whole vectors of listed documents, instead of what planes told of them. */
  #finish(
    { arena, scratch, at }: PlacedWindow,
    { vector }: PlaneQuery,
    listed: number,
    floor: number,
    counts?: { bytes: number },
  ): number {
    if (counts) counts.bytes += listed * this.#vectorDims * 2;
    arena.view(Float32Array, scratch.query, this.#vectorDims).set(vector);
    return arena.kernels.vectorRefine(
      scratch.query,
      at[VECTORS],
      this.#vectorDims,
      scratch.places,
      listed,
      scratch.words,
      scratch.sums,
      floor,
    );
  }

  /** How much a document's finished sum can exceed the truth: twice what rounding can hide, of planes; nothing beyond the slack, of vectors. */
  looseness(w: number, window: PlacedWindow, query: PlaneQuery): (place: number) => number {
    if (this.endsWithVectors) return () => 0;
    const [docs, planes] = [paddedDocs(window.docs), this.#widths.length];
    const scales = window.arena.view(Float32Array, window.at.planeScales, planes * docs);
    const biases = this.#widths.map((_, p) => 2 * this.#bias(w, query, p));
    return (place) => {
      let sum = 0;
      for (let p = 0; p < planes; p++) sum += biases[p] * scales[p * docs + place];
      return sum;
    };
  }

  #operands(w: number, { docs, arena, scratch, at }: PlacedWindow, query: PlaneQuery, plane: number) {
    const width = this.#widths[plane];
    const before = this.#widths.slice(0, plane).reduce((sum, other) => sum + other, 0);
    const padded = paddedDocs(docs);
    const { codes, unit } = query.planes[plane];
    const vector = scratch.vector + before * 2;
    arena.view(Int16Array, vector, width).set(codes);
    return {
      codes: at.planes + before * padded,
      scales: at.planeScales + plane * padded * 4,
      width,
      vector,
      unit,
      bias: this.#bias(w, query, plane),
    };
  }

  /** What rounding can hide of a plane, in units of a document's scale. */
  #bias(w: number, query: PlaneQuery, plane: number): number {
    return this.#facts(w).roundings[plane] * query.planes[plane].length;
  }

  /** What is multiplied with the length of a document's later planes: the query's, or its typical share of the product. */
  #tailWeight(query: PlaneQuery, plane: number, deviations: number | undefined): number {
    const { tail } = query.planes[plane];
    const later = this.#widths.slice(plane + 1).reduce((sum, width) => sum + width, 0);
    return deviations === undefined || later === 0 ? tail : tail * Math.min(1, deviations / Math.sqrt(later));
  }

  #facts(w: number) {
    return this.#windows[w];
  }

  /** Valid until the next call. */
  #turned(vector: Float32Array): Float64Array {
    this.#turnedLast.set(this.#rotation?.turn(vector) ?? vector);
    return this.#turnedLast;
  }
}

/** Turns queries by the matrix, which lies beside the first window. */
class Rotation {
  readonly #window: PlacedWindow;
  readonly #width: number;

  constructor(window: PlacedWindow, width: number) {
    this.#window = window;
    this.#width = width;
  }

  /** Valid until the next call. */
  turn(vector: Float32Array): Float32Array {
    const { arena, scratch, at } = this.#window;
    const turned = scratch.turned + this.#width * 4;
    arena.view(Float32Array, scratch.turned, this.#width).set(vector);
    arena.kernels.rotateOne(scratch.turned, this.#width, at.rotation, turned);
    return arena.view(Float32Array, turned, this.#width);
  }
}

/** The largest code of a query: products of so many dimensions must fit int32. */
function mostCode(width: number): number {
  return Math.min(32_767, Math.floor((2 ** 31 - 1) / (127 * width)));
}

function squares(vector: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i] * vector[i];
  return sum;
}
