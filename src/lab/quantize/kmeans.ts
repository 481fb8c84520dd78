// Points → at most 256 centroids (k-means: Lloyd's algorithm from a k-means++ start).
//
// A squared distance is ‖x‖² − 2x·c + ‖c‖², so the time for a point grows with its non-zeros, not with the dims. Equal
// points are looked at once. If there are no more distinct points than centroids, the points are the centroids.

import type { CodeVectors } from "../../segment/codes/code-vectors.ts";
import { type DistinctPoints, findDistinctPoints } from "../../segment/codes/distinct.ts";
import {
  type Centroids,
  chooseStartCentroids,
  createCentroids,
  squaredNorm,
} from "../../segment/codes/kmeans-start.ts";

interface KmeansOptions {
  readonly seed?: number;
  readonly iterations?: number;
}

/** At most `k` centroids; fewer if there are fewer distinct points. */
export function kmeans(all: CodeVectors, k: number, options: KmeansOptions = {}): Centroids {
  const { seed = 0, iterations = 10 } = options;
  const groups = findDistinctPoints(all);
  const { points } = groups;
  let centroids = chooseStartCentroids(groups, k, seed);
  if (points.count <= k) return centroids;
  const nearest = new Uint8Array(points.count);
  const before = new Uint8Array(points.count);
  const gaps = new Float64Array(points.count);
  for (let iteration = 0; iteration < iterations; iteration++) {
    assign(points, centroids, nearest, gaps);
    if (iteration > 0 && nearest.every((c, i) => c === before[i])) break; // further rounds would change nothing
    before.set(nearest);
    centroids = means(groups, nearest, gaps, k);
  }
  return centroids;
}

/**
 * Finds the nearest centroid of every point, the lower number of two that are equally near. `gaps`, if given, receives
 * ‖c‖² − 2x·c: the squared distance without ‖x‖², which is the same for all centroids.
 */
export function assign(
  points: CodeVectors,
  centroids: Centroids,
  nearest: Uint8Array,
  gaps?: Float64Array,
): void {
  const { starts, columns, values } = points;
  const { count, norms } = centroids;
  const sums = new Float64Array(count);
  const nearestToZero = norms.indexOf(norms.reduce((a, b) => Math.min(a, b), Infinity));
  for (let i = 0; i < points.count; i++) {
    const last = starts[i + 1] - 1;
    if (last < starts[i]) {
      nearest[i] = nearestToZero;
      if (gaps) gaps[i] = norms[nearestToZero];
      continue;
    }
    let soFar = norms;
    let n = starts[i];
    for (; n + 1 < last; n += 2) {
      addTwo(soFar, centroids, points, n, sums);
      soFar = sums;
    }
    if (n < last) {
      addOne(soFar, centroids, points, n, sums);
      soFar = sums;
    }
    // The last non-zero is added in the loop that finds the smallest: most parts of sparse vectors have no other.
    const at = columns[last] * count;
    const factor = -2 * values[last];
    let best = 0;
    let least = Infinity;
    for (let c = 0; c < count; c++) {
      const gap = soFar[c] + factor * centroids.values[at + c];
      if (gap < least) {
        least = gap;
        best = c;
      }
    }
    nearest[i] = best;
    if (gaps) gaps[i] = least;
  }
}

/** `from`, plus −2x·c for non-zero `n` of the points and each centroid. */
function addOne(
  from: Float64Array,
  { values, count }: Centroids,
  points: CodeVectors,
  n: number,
  to: Float64Array,
): void {
  const at = points.columns[n] * count;
  const factor = -2 * points.values[n];
  for (let c = 0; c < to.length; c++) to[c] = from[c] + factor * values[at + c];
}

/** The same for non-zeros `n` and `n + 1`. Two at a time halve the reads and writes of `to`. */
function addTwo(
  from: Float64Array,
  { values, count }: Centroids,
  points: CodeVectors,
  n: number,
  to: Float64Array,
): void {
  const [at, next] = [points.columns[n] * count, points.columns[n + 1] * count];
  const [factor, nextFactor] = [-2 * points.values[n], -2 * points.values[n + 1]];
  for (let c = 0; c < to.length; c++) {
    to[c] = from[c] + factor * values[at + c] + nextFactor * values[next + c];
  }
}

/** The mean of each cluster. A cluster that lost all its points gets the point with the largest error. */
function means({ points, weights }: DistinctPoints, nearest: Uint8Array, gaps: Float64Array, k: number) {
  const sums = new Float64Array(points.dims * k);
  const sizes = new Float64Array(k);
  for (let i = 0; i < points.count; i++) {
    sizes[nearest[i]] += weights[i];
    for (let n = points.starts[i]; n < points.starts[i + 1]; n++) {
      sums[points.columns[n] * k + nearest[i]] += weights[i] * points.values[n];
    }
  }
  const empty = [...sizes.keys()].filter((c) => sizes[c] === 0);
  if (empty.length > 0) {
    const errors = Float64Array.from(gaps, (gap, i) => weights[i] * (gap + squaredNorm(points, i)));
    const worstFirst = [...errors.keys()].sort((a, b) => errors[b] - errors[a] || a - b);
    for (const [rank, c] of empty.entries()) {
      const i = worstFirst[rank];
      sizes[c] = 1;
      for (let n = points.starts[i]; n < points.starts[i + 1]; n++) {
        sums[points.columns[n] * k + c] = points.values[n];
      }
    }
  }
  for (let at = 0; at < sums.length; at++) sums[at] /= sizes[at % k];
  return createCentroids(k, points.dims, sums);
}
