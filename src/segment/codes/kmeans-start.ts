// Points → centroids for k-means to start from (k-means++).

import { mulberry32 } from "../../support/numbers/random.ts";
import type { CodeVectors } from "./code-vectors.ts";
import type { DistinctPoints } from "./distinct.ts";

/** The largest k: a code is one byte. */
const MAX_CENTROIDS = 256;

export interface Centroids {
  readonly count: number;
  readonly dims: number;
  /** Column by column: `values[column * count + c]`, so that a non-zero's numbers for all centroids are contiguous. */
  readonly values: Float32Array;
  /** ‖c‖². */
  readonly norms: Float64Array;
}

/** `k` of the distinct points; all of them if there are fewer. */
export function chooseStartCentroids(groups: DistinctPoints, k: number, seed: number): Centroids {
  if (!(k >= 1 && k <= MAX_CENTROIDS)) {
    throw new RangeError(`${k} centroids, expected 1 to ${MAX_CENTROIDS}`);
  }
  const { points, weights } = groups;
  const isFew = points.count <= k;
  return copyCentroids(
    points,
    isFew ? Uint32Array.from(weights.keys()) : drawPlusPlus(groups, k, mulberry32(seed)),
  );
}

/** Draws points; the chance of a point grows with its squared distance from those drawn before. */
function drawPlusPlus({ points, weights }: DistinctPoints, k: number, random: () => number): Uint32Array {
  const { count, starts, columns, values } = points;
  const norms = Float64Array.from({ length: count }, (_, i) => squaredNorm(points, i));
  const chances = Float64Array.from(weights);
  const distances = new Float64Array(count).fill(Infinity);
  const center = new Float64Array(points.dims);
  const chosen = new Uint32Array(k);
  for (let c = 0; c < k; c++) {
    const at = draw(chances, random());
    chosen[c] = at;
    center.fill(0);
    for (let n = starts[at]; n < starts[at + 1]; n++) center[columns[n]] = values[n];
    for (let i = 0; i < count; i++) {
      let product = 0;
      for (let n = starts[i]; n < starts[i + 1]; n++) product += values[n] * center[columns[n]];
      // Rounding may give distinct points a distance of 0; the smallest number above 0 keeps them eligible.
      const distance = Math.max(norms[i] - 2 * product + norms[at], Number.MIN_VALUE);
      if (distance < distances[i]) {
        distances[i] = distance;
        chances[i] = weights[i] * distance;
      }
    }
    distances[at] = 0;
    chances[at] = 0;
  }
  return chosen;
}

function draw(chances: Float64Array, uniform: number): number {
  let left = 0;
  for (let i = 0; i < chances.length; i++) left += chances[i];
  left *= uniform;
  let last = 0;
  for (let i = 0; i < chances.length; i++) {
    if (chances[i] === 0) continue;
    last = i;
    left -= chances[i];
    if (left < 0) break;
  }
  return last;
}

export function squaredNorm({ starts, values }: CodeVectors, i: number): number {
  let sum = 0;
  for (let n = starts[i]; n < starts[i + 1]; n++) sum += values[n] * values[n];
  return sum;
}

function copyCentroids(points: CodeVectors, chosen: Uint32Array): Centroids {
  const values = new Float64Array(points.dims * chosen.length);
  for (const [c, i] of chosen.entries()) {
    for (let n = points.starts[i]; n < points.starts[i + 1]; n++) {
      values[points.columns[n] * chosen.length + c] = points.values[n];
    }
  }
  return createCentroids(chosen.length, points.dims, values);
}

/** Centroids from their values, column by column. */
export function createCentroids(count: number, dims: number, columnByColumn: Float64Array): Centroids {
  const values = Float32Array.from(columnByColumn);
  const norms = new Float64Array(count);
  for (let at = 0; at < values.length; at++) norms[at % count] += values[at] * values[at];
  return { count, dims, values, norms };
}
