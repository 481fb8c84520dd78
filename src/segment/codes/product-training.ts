// Rows → a product coder: the centroids of every part are learned by k-means on a sample.

import type { Rows } from "../../densify/rows.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { type CodeShape, toCodeShape } from "./code-shape.ts";
import { type CodeVectors, cutIntoParts, sampleRows } from "./code-vectors.ts";
import { findDistinctPoints } from "./distinct.ts";
import { type Centroids, chooseStartCentroids } from "./kmeans-start.ts";
import { NearestCentroids, unpack } from "./nearest-centroids.ts";
import { checkShape, countColumns, ProductCoder, partStarts } from "./product-codes.ts";

export interface ProductOptions extends Partial<CodeShape> {
  readonly seed?: number;
  /** How many rows to learn from, taken at even distances. */
  readonly sample?: number;
  /** Rounds of k-means. */
  readonly iterations?: number;
}

/** Points that k-means++ chooses from. It takes longer than all rounds after it, and any reasonable start will do. */
const START_POINTS = 4096;

/** Learns the centroids of every part. The same rows and options give the same centroids. */
export function trainProductCoder(rows: Rows, options: ProductOptions = {}): ProductCoder {
  const { seed = 0, sample = 20_000, iterations = 10 } = options;
  const { parts, bits } = toCodeShape(options);
  const shape = { parts, bits, dims: rows.dims, semanticDims: rows.semanticDims };
  checkShape(shape);
  if (rows.docs === 0) throw new SluiceError("product quantization needs documents to learn from");
  const count = Math.min(rows.docs, sample);
  const chosen = Uint32Array.from({ length: count }, (_, i) => Math.floor((i * rows.docs) / count));
  const cuts = partStarts(shape);
  const widest = Math.ceil(countColumns(shape) / parts);
  const lloyd = new Lloyd(count, widest, 2 ** bits);
  const codebooks = new Float32Array(countColumns(shape) << bits);
  let part = 0;
  for (const points of cutIntoParts(rowsToVectors(rows, chosen), cuts)) {
    const start = startFor(points, 2 ** bits, seed + part);
    codebooks.set(lloyd.improve(points, padCentroids(start, 2 ** bits), iterations), cuts[part] << bits);
    part++;
  }
  return new ProductCoder(shape, codebooks);
}

/** k-means++ on a sample of the points; on all points if the sample has too few distinct ones, as in sparse rows. */
function startFor(points: CodeVectors, count: number, seed: number): Centroids {
  const start = chooseStartCentroids(findDistinctPoints(sampleRows(points, START_POINTS, seed)), count, seed);
  return start.count < count ? chooseStartCentroids(findDistinctPoints(points), count, seed) : start;
}

/**
 * Repeats the first centroid if there are fewer than `count`. Ties go to the lower number, so the copies are never
 * used.
 */
function padCentroids({ count: found, dims, values }: Centroids, count: number): Float32Array {
  const all = new Float32Array(dims * count);
  for (let at = 0; at < all.length; at++) {
    const c = at % count;
    all[at] = values[Math.floor(at / count) * found + (c < found ? c : 0)];
  }
  return all;
}

/** Lloyd's algorithm, on one part at a time, so that its entries are close together in memory. */
class Lloyd {
  readonly #nearest: NearestCentroids;
  readonly #centroids: number;

  constructor(rows: number, widest: number, centroids: number) {
    const capacity = { rows, bounds: rows + 1, entries: rows * widest, columns: widest, parts: 1 };
    this.#nearest = new NearestCentroids(capacity, centroids);
    this.#centroids = centroids;
  }

  /** Improves centroids, column by column, for at most this many rounds. */
  improve(points: CodeVectors, start: Float32Array, iterations: number): Float32Array {
    const { bounds, columns, values } = this.#nearest.entries;
    bounds.set(points.starts);
    columns.set(points.columns);
    values.set(points.values);
    const before = new Uint8Array(points.count);
    let centroids = start;
    for (let iteration = 0; iteration < iterations; iteration++) {
      this.#nearest.setCentroids(0, 0, centroids);
      const nearest = this.#nearest.find(0, points.count, 1);
      if (iteration > 0 && nearest.every((c, i) => c === before[i])) break; // further rounds would change nothing
      before.set(nearest);
      centroids = this.#means(points, nearest, centroids);
    }
    return centroids;
  }

  /** The mean of each centroid's points. A centroid without points stays as it is. */
  #means(
    { count, starts, columns, values }: CodeVectors,
    nearest: Uint8Array,
    old: Float32Array,
  ): Float32Array {
    const centroids = this.#centroids;
    const sums = new Float64Array(old.length);
    const sizes = new Uint32Array(centroids);
    for (let i = 0; i < count; i++) {
      const c = nearest[i];
      const end = starts[i + 1];
      for (let n = starts[i]; n < end; n++) sums[columns[n] * centroids + c] += values[n];
      sizes[c]++;
    }
    return old.map((value, at) => (sizes[at % centroids] > 0 ? sums[at] / sizes[at % centroids] : value));
  }
}

/** The chosen rows as vectors. */
function rowsToVectors(rows: Rows, chosen: Uint32Array): CodeVectors {
  const dims = rows.dims + rows.semanticDims;
  const entries = chosen.reduce(
    (sum, local) => sum + rows.starts[local + 1] - rows.starts[local] + rows.semanticDims,
    0,
  );
  const [columns, values] = [new Uint32Array(entries), new Float32Array(entries)];
  const bounds = new Uint32Array(2 * chosen.length);
  unpack(rows, chosen, new Uint16Array(dims), 1, { bounds, columns, values });
  const starts = new Uint32Array(chosen.length + 1);
  for (let i = 0; i < chosen.length; i++) starts[i + 1] = bounds[2 * i + 1];
  return { count: chosen.length, dims, starts, columns, values };
}
