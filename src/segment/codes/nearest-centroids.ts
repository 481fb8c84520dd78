// Rows, cut into parts → the nearest centroid of every part, in WebAssembly.

import type { Rows } from "../../densify/rows.ts";
import { FLOAT16 } from "../../support/numbers/float16.ts";
import { Arena, alignedBytes } from "../../wasm/arena.ts";
import { nearestCentroid } from "./code-shape.ts";

/** The non-zeros of vectors, and where each part begins. */
interface SplitEntries {
  /** By row, by part: where its entries begin; and after the last part, where they end. */
  readonly bounds: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float32Array;
}

/** Writes the chosen rows as vectors, one after another: the values of the slots, then the semantic vector. */
export function unpack(
  rows: Rows,
  chosen: Uint32Array,
  partOf: Uint16Array,
  parts: number,
  to: SplitEntries,
): void {
  const { dims, starts, slices, values, semantic, semanticDims } = rows;
  const { bounds, columns, values: numbers } = to;
  let end = 0;
  let bound = 0;
  for (let i = 0; i < chosen.length; i++) {
    const local = chosen[i];
    const last = starts[local + 1];
    let part = 0; // the first part whose beginning is not yet written
    for (let n = starts[local]; n < last; n++) {
      const value = FLOAT16[values[n]];
      const slice = slices[n];
      if (value === 0) continue;
      for (; part <= partOf[slice]; part++) bounds[bound++] = end;
      columns[end] = slice;
      numbers[end++] = value;
    }
    for (let dim = 0, n = local * semanticDims; dim < semanticDims; dim++, n++) {
      const value = FLOAT16[semantic[n]];
      if (value === 0) continue;
      for (; part <= partOf[dims + dim]; part++) bounds[bound++] = end;
      columns[end] = dims + dim;
      numbers[end++] = value;
    }
    for (; part <= parts; part++) bounds[bound++] = end;
  }
}

/** Finds the nearest centroids. Entries and centroids are in a WebAssembly memory. */
export class NearestCentroids {
  readonly entries: SplitEntries;
  readonly #arena: Arena;
  readonly #centroids: number;
  readonly #addresses: number[];
  readonly #codebook: Float32Array;
  readonly #halves: Float32Array;
  /** By part: the code of a row without entries. */
  readonly #nothing: Uint8Array;

  /** `room` says how many of each there are at most, and `centroids` how many a part has. */
  constructor(
    capacity: { rows: number; bounds: number; entries: number; columns: number; parts: number },
    centroids: number,
  ) {
    const numbers = [
      capacity.bounds,
      capacity.entries,
      capacity.entries,
      capacity.columns * centroids,
      capacity.parts * centroids,
    ];
    const sizes = [...numbers.map((n) => 4 * n), capacity.rows];
    const arena = new Arena(sizes.reduce((sum, bytes) => sum + alignedBytes(bytes), 0));
    this.#arena = arena;
    this.#centroids = centroids;
    this.#addresses = sizes.map((bytes) => arena.allocate(bytes));
    const [bounds, columns, values, codebook, halves] = this.#addresses;
    this.entries = {
      bounds: arena.view(Uint32Array, bounds, capacity.bounds),
      columns: arena.view(Uint32Array, columns, capacity.entries),
      values: arena.view(Float32Array, values, capacity.entries),
    };
    this.#codebook = arena.view(Float32Array, codebook, numbers[3]);
    this.#halves = arena.view(Float32Array, halves, numbers[4]);
    this.#nothing = new Uint8Array(capacity.parts);
  }

  /** Sets the centroids of a part whose first column is `first`; values are column by column. */
  setCentroids(part: number, first: number, values: Float32Array): void {
    const count = this.#centroids;
    this.#codebook.set(values, first * count);
    const norms = new Float64Array(count);
    for (let at = 0; at < values.length; at++) norms[at % count] += values[at] * values[at];
    const halves = this.#halves.subarray(part * count, (part + 1) * count);
    for (let c = 0; c < count; c++) halves[c] = -norms[c] / 2;
    this.#nothing[part] = nearestCentroid([], [], values, halves);
  }

  /** The codes of the first `rows` rows, each with `stride` bounds. Valid until the next call. */
  find(part: number, rows: number, stride: number): Uint8Array {
    const [bounds, columns, values, codebook, halves, codes] = this.#addresses;
    this.#arena.kernels.nearestCentroids(
      bounds + part * 4,
      stride,
      rows,
      columns,
      values,
      codebook,
      halves + part * this.#centroids * 4,
      this.#centroids,
      this.#nothing[part],
      codes,
    );
    return this.#arena.view(Uint8Array, codes, rows);
  }
}
