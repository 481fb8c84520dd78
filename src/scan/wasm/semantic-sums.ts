// A query's vector and one window → upper bounds on the semantic part of its documents' scores. Planes of dimensions are
// added one after another, for all documents or for listed ones; after each, documents that cannot matter are dropped.

import { type LookUps, ProductCoder } from "../../segment/codes/product-codes.ts";
import { padDocs } from "../../segment/rows/windows.ts";
import { fromShortFloat } from "../../support/numbers/short-float.ts";
import { type LoadedWindow, type Placement, VECTORS } from "./memories.ts";

/** A query's vector, multiplied by λ, rotated and cut into the planes of a segment. */
export interface PlaneQuery {
  /** Before rotation. */
  readonly vector: Float32Array;
  /** The length (Euclidean norm) of the whole vector. */
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
  /** The query's look-up tables, if the vectors have sketches. */
  readonly sketch: LookUps | undefined;
}

const NO_TERMS = {
  slices: new Uint32Array(0),
  indices: new Uint16Array(0),
  values: new Float32Array(0),
};

export class SemanticWindows {
  readonly #windows: readonly { readonly roundings: readonly number[]; readonly longest: number }[];
  readonly #rotation: QueryRotation | undefined;
  readonly #widths: readonly number[];
  readonly #width: number;
  readonly #sketch: ProductCoder | undefined;
  readonly #rotatedQuery: Float64Array;
  /** The dimensions of the whole vectors, if they replace the last plane; else 0. */
  readonly #vectorDims: number;

  constructor({ meta, arrays, vectorDims }: Placement, windows: readonly LoadedWindow[]) {
    this.#vectorDims = vectorDims;
    this.#windows = meta.semantic!.windows;
    this.#widths = meta.semantic!.widths;
    this.#width = this.#widths.reduce((sum, width) => sum + width, 0);
    this.#rotatedQuery = new Float64Array(this.#width);
    this.#rotation = meta.semantic!.rotated ? new QueryRotation(windows[0], this.#width) : undefined;
    const { sketch } = meta.semantic!;
    this.#sketch = sketch && new ProductCoder(sketch, arrays.sketchBooks as Float32Array);
  }

  prepare(vector: Float32Array): PlaneQuery {
    const rotated = this.#rotate(vector);
    let start = 0;
    const planes = this.#widths.map((width) => {
      const part = rotated.subarray(start, start + width);
      start += width;
      let largest = 0;
      for (let i = 0; i < width; i++) largest = Math.max(largest, Math.abs(part[i]));
      const unit = largest / largestCode(width);
      const codes = new Int16Array(width);
      for (let i = 0; unit > 0 && i < width; i++) codes[i] = Math.round(part[i] / unit);
      const [length, tail] = [part, rotated.subarray(start)].map((some) => Math.sqrt(squaredLength(some)));
      return { codes, unit, length, tail };
    });
    const sketch = this.#sketch?.lookUps({ ...NO_TERMS, semantic: vector });
    return { vector, length: Math.sqrt(squaredLength(rotated)), planes, sketch };
  }

  /** An upper bound for every document of the window, from the lengths of the vectors. */
  most(w: number, query: PlaneQuery): number {
    return query.length * this.#windows[w].longest;
  }

  /** How far the rotation, float32 and the rounding of the query can be off, in all: a bound, not an estimate. */
  slack(w: number, query: PlaneQuery): number {
    const dims = this.#width;
    const rounding = query.planes.reduce(
      (sum, { codes, unit }) => sum + (unit / 2) * Math.sqrt(codes.length),
      0,
    );
    const perLength = 2 * dims ** 1.5 * 2 ** -24 + 2 ** -18; // both sides are rotated in float32
    return this.#windows[w].longest * (rounding + query.length * perLength);
  }

  /** Bytes of a document in a plane: codes, scale, and the tail except in the last plane. */
  bytesOf(plane: number): number {
    return this.#widths[plane] + (plane === this.#widths.length - 1 ? 2 : 4);
  }

  /** Writes estimates of all documents' scores by their sketches: sums so far, plus the sketch's product. */
  estimate({ arena, scratch, address, docs }: LoadedWindow, { sketch }: PlaneQuery): void {
    const { tables } = sketch!;
    arena.view(Uint8Array, scratch.tables, tables.length).set(tables);
    const { kernels } = arena;
    this.#sketch!.scan(kernels, address.sketchCodes, docs, scratch.tables, sketch!, scratch.estimates);
    kernels.scaleAndAdd(scratch.estimates, padDocs(docs), address.sketchStretch, scratch.sums);
  }

  /** Lists the documents that can reach the threshold with a sketch error of at most `deviations` standard deviations. */
  listBySketch(
    { arena, scratch, address, docs }: LoadedWindow,
    { sketch, length }: PlaneQuery,
    deviations: number,
    threshold: number,
  ): number {
    // Look-ups are bytes, so each part is off by half a step at most, and the errors mostly cancel out.
    const least = threshold - sketch!.scale * Math.sqrt(this.#sketch!.parts);
    const weight = (length * deviations) / Math.sqrt(this.#sketch!.semanticDims);
    return arena.kernels.reaching(
      scratch.estimates,
      docs,
      address.sketchMissed,
      weight,
      least,
      scratch.lanes,
      docs,
    );
  }

  /** Bytes of a document's sketch. */
  get sketchBytes(): number {
    return this.#sketch!.windowBytes(16) / 16 + 6;
  }

  /** How many planes can be scanned. */
  get planes(): number {
    return this.#widths.length - (this.endsWithVectors ? 1 : 0);
  }

  /** Whether whole vectors complete the sums, one by one, in place of the last plane. */
  get endsWithVectors(): boolean {
    return this.#vectorDims > 0;
  }

  /** Adds a plane to the sums of all documents. */
  scanPlane(w: number, window: LoadedWindow, query: PlaneQuery, plane: number): void {
    if (plane === 0 && this.endsWithVectors) {
      const [terms, sums] = [window.scratch.terms, window.scratch.sums].map((address) =>
        window.arena.view(Float32Array, address, window.docs),
      );
      terms.set(sums);
    }
    const { codes, scales, width, vector, unit, bias } = this.#operands(w, window, query, plane);
    const { kernels } = window.arena;
    kernels.planeScan(codes, scales, width, padDocs(window.docs), vector, unit, bias, window.scratch.sums);
  }

  /**
   * Lists the documents that can reach the threshold with what the planes after `plane` can add, and returns how many
   * there are. If there are `most` or more, it may only count them. With `deviations`, what later planes add is estimated: at
   * most this many standard deviations, around 0.
   */
  listAfter(
    window: LoadedWindow,
    query: PlaneQuery,
    plane: number,
    deviations: number | undefined,
    threshold: number,
    most: number,
  ): number {
    const { arena, scratch, docs, address } = window;
    const isLast = plane === this.#widths.length - 1;
    const tails = isLast ? 0 : address.planeTails + plane * padDocs(docs) * 2;
    const weight = this.#tailWeight(query, plane, deviations);
    return arena.kernels.reaching(scratch.sums, docs, tails, weight, threshold, scratch.lanes, most);
  }

  /**
   * Adds the planes from `plane` on to listed documents. Drops those that cannot reach the threshold, and returns how
   * many are left.
   */
  refine(
    w: number,
    window: LoadedWindow,
    query: PlaneQuery,
    plane: number,
    listed: number,
    deviations: number | undefined,
    threshold: number,
    counts?: { bytes: number },
  ): number {
    const { arena, scratch, address } = window;
    let left = listed;
    if (plane === 0 && this.endsWithVectors) {
      arena.kernels.copyListed(scratch.lanes, listed, scratch.sums, scratch.terms);
    }
    for (let p = plane; p < this.planes && left > 0; p++) {
      const { codes, scales, width, vector, unit, bias } = this.#operands(w, window, query, p);
      const isLast = p === this.#widths.length - 1;
      if (counts) counts.bytes += left * this.bytesOf(p);
      left = arena.kernels.planeRefine(
        codes,
        scales,
        width,
        vector,
        unit,
        bias,
        isLast ? 0 : address.planeTails + p * padDocs(window.docs) * 2,
        this.#tailWeight(query, p, deviations),
        scratch.lanes,
        left,
        scratch.sums,
        threshold,
      );
    }
    return this.endsWithVectors ? this.#refineByVectors(window, query, left, threshold, counts) : left;
  }

  /** Replaces what planes added to listed documents by the product of the whole vectors. */
  #refineByVectors(
    { arena, scratch, address }: LoadedWindow,
    { vector }: PlaneQuery,
    listed: number,
    threshold: number,
    counts?: { bytes: number },
  ): number {
    if (counts) counts.bytes += listed * this.#vectorDims * 2;
    arena.view(Float32Array, scratch.query, this.#vectorDims).set(vector);
    return arena.kernels.vectorRefine(
      scratch.query,
      address[VECTORS],
      this.#vectorDims,
      scratch.lanes,
      listed,
      scratch.terms,
      scratch.sums,
      threshold,
    );
  }

  /**
   * By lane: how much the semantic part of a complete sum can exceed the exact one. With planes, twice the bound on their
   * rounding; with whole vectors, nothing beyond the slack.
   */
  overestimate(w: number, window: LoadedWindow, query: PlaneQuery): (lane: number) => number {
    if (this.endsWithVectors) return () => 0;
    const [docs, planes] = [padDocs(window.docs), this.#widths.length];
    const scales = window.arena.view(Uint16Array, window.address.planeScales, planes * docs);
    const biases = this.#widths.map((_, p) => 2 * this.#bias(w, query, p));
    return (lane) => {
      let sum = 0;
      for (let p = 0; p < planes; p++) sum += biases[p] * fromShortFloat(scales[p * docs + lane]);
      return sum;
    };
  }

  #operands(w: number, { docs, arena, scratch, address }: LoadedWindow, query: PlaneQuery, plane: number) {
    const width = this.#widths[plane];
    const before = this.#widths.slice(0, plane).reduce((sum, other) => sum + other, 0);
    const padded = padDocs(docs);
    const { codes, unit } = query.planes[plane];
    const vector = scratch.vector + before * 2;
    arena.view(Int16Array, vector, width).set(codes);
    return {
      codes: address.planes + before * padded,
      scales: address.planeScales + plane * padded * 2,
      width,
      vector,
      unit,
      bias: this.#bias(w, query, plane),
    };
  }

  /** A bound on the rounding error of a plane's product, in units of a document's scale. */
  #bias(w: number, query: PlaneQuery, plane: number): number {
    return this.#windows[w].roundings[plane] * query.planes[plane].length;
  }

  /**
   * What the length of a document's later planes is multiplied by: the query's length there, for a bound; less, for
   * an estimate.
   */
  #tailWeight(query: PlaneQuery, plane: number, deviations: number | undefined): number {
    const { tail } = query.planes[plane];
    const later = this.#widths.slice(plane + 1).reduce((sum, width) => sum + width, 0);
    return deviations === undefined || later === 0 ? tail : tail * Math.min(1, deviations / Math.sqrt(later));
  }

  /** Rotates a vector, if the segment's vectors are rotated. The result is valid until the next call. */
  #rotate(vector: Float32Array): Float64Array {
    this.#rotatedQuery.set(this.#rotation?.rotate(vector) ?? vector);
    return this.#rotatedQuery;
  }
}

/** Rotates queries by the matrix, which is in the memory of the first window. */
class QueryRotation {
  readonly #window: LoadedWindow;
  readonly #width: number;

  constructor(window: LoadedWindow, width: number) {
    this.#window = window;
    this.#width = width;
  }

  /** Rotates a vector. The result is valid until the next call. */
  rotate(vector: Float32Array): Float32Array {
    const { arena, scratch, address } = this.#window;
    const rotated = scratch.rotated + this.#width * 4;
    arena.view(Float32Array, scratch.rotated, this.#width).set(vector);
    arena.kernels.rotateOne(scratch.rotated, this.#width, address.rotation, rotated);
    return arena.view(Float32Array, rotated, this.#width);
  }
}

/** The largest code of a query in a plane of `width` dimensions: the sum of all products must fit int32. */
function largestCode(width: number): number {
  return Math.min(32_767, Math.floor((2 ** 31 - 1) / (127 * width)));
}

function squaredLength(vector: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i] * vector[i];
  return sum;
}
