// Pairs → batches of pairs with similar passages. The other passages of a batch are negatives, and similar ones teach more.
// Passages are put into clusters by their teacher's vectors (k-means on a sample); a batch has a few groups, each from one
// cluster or from neighboring ones.

import { mulberry32, shuffle } from "../../../support/numbers/random.ts";

/** Vectors that the clusters are learned from. */
const SAMPLE = 16_384;
const ROUNDS = 6;

/** The nearest cluster of each vector; vectors have length 1. */
export function clustersOf(vectors: Float32Array, dims: number, clusters: number, seed: number): Uint16Array {
  const count = vectors.length / dims;
  const sample = shuffle(count, seed).subarray(0, SAMPLE);
  const centers = new Float32Array(clusters * dims);
  for (let c = 0; c < clusters; c++) {
    const from = sample[c % sample.length] * dims;
    centers.set(vectors.subarray(from, from + dims), c * dims);
  }
  for (let round = 0; round < ROUNDS; round++) {
    const sums = new Float64Array(clusters * dims);
    for (const i of sample) {
      const c = nearest(vectors, i * dims, centers, dims);
      for (let j = 0; j < dims; j++) sums[c * dims + j] += vectors[i * dims + j];
    }
    for (let c = 0; c < clusters; c++) {
      let squares = 0;
      for (let j = 0; j < dims; j++) squares += sums[c * dims + j] ** 2;
      if (squares === 0) continue; // an empty cluster keeps its center
      for (let j = 0; j < dims; j++) centers[c * dims + j] = sums[c * dims + j] / Math.sqrt(squares);
    }
  }
  return Uint16Array.from({ length: count }, (_, i) => nearest(vectors, i * dims, centers, dims));
}

function nearest(vectors: Float32Array, at: number, centers: Float32Array, dims: number): number {
  let [best, most] = [0, Number.NEGATIVE_INFINITY];
  for (let c = 0; c * dims < centers.length; c++) {
    let product = 0;
    for (let j = 0; j < dims; j++) product += vectors[at + j] * centers[c * dims + j];
    if (product > most) [best, most] = [c, product];
  }
  return best;
}

/** Batches without end: every epoch goes through the pairs in another order. */
export function* groupedBatches(
  clusters: Uint16Array,
  { pairs, groups }: { readonly pairs: number; readonly groups: number },
  seed: number,
): Generator<Uint32Array> {
  const random = mulberry32(seed);
  const size = Math.max(1, Math.floor(pairs / groups));
  for (;;) {
    const order = shuffle(clusters.length, Math.floor(random() * 2 ** 31));
    const sorted = order.map((i) => i).sort((a, b) => clusters[a] - clusters[b]); // stable: shuffled inside a cluster
    const whole = Math.floor(sorted.length / size);
    const groupOrder = shuffle(whole, Math.floor(random() * 2 ** 31));
    for (let start = 0; start + groups <= whole; start += groups) {
      const batch = new Uint32Array(groups * size);
      for (let g = 0; g < groups; g++) {
        const from = groupOrder[start + g] * size;
        batch.set(sorted.subarray(from, from + size), g * size);
      }
      yield batch;
    }
  }
}
