// Points → the distinct ones, and how often each occurs. Most parts of a sparse vector are all zero, and many others are
// equal; k-means then looks at each point once.

import { type CodeVectors, copyRows } from "./code-vectors.ts";

export interface DistinctPoints {
  readonly points: CodeVectors;
  /** By distinct point: how many of the given points are equal to it. */
  readonly weights: Uint32Array;
}

/** The distinct points, in the order of their first occurrence. Points are equal if their bits are. */
export function findDistinctPoints(all: CodeVectors): DistinctPoints {
  const bits = new Uint32Array(all.values.buffer, all.values.byteOffset, all.values.length);
  // A hash table with open addressing, at most half full: an entry is the number of a distinct point plus one, or 0.
  const mask = 2 ** Math.ceil(Math.log2(2 * all.count + 1)) - 1;
  const table = new Uint32Array(mask + 1);
  const firsts = new Uint32Array(all.count);
  const weights = new Uint32Array(all.count);
  let count = 0;
  for (let i = 0; i < all.count; i++) {
    let entry = hash(all, bits, i) & mask;
    while (table[entry] !== 0 && !areEqual(all, bits, firsts[table[entry] - 1], i))
      entry = (entry + 1) & mask;
    if (table[entry] === 0) {
      firsts[count] = i;
      table[entry] = ++count;
    }
    weights[table[entry] - 1]++;
  }
  return { points: copyRows(all, firsts.subarray(0, count)), weights: weights.slice(0, count) };
}

function hash({ starts, columns }: CodeVectors, bits: Uint32Array, i: number): number {
  let h = 0;
  for (let n = starts[i]; n < starts[i + 1]; n++) {
    h = Math.imul(h ^ columns[n], 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 15) ^ bits[n], 0xc2b2ae35);
    h ^= h >>> 13;
  }
  return h;
}

function areEqual({ starts, columns }: CodeVectors, bits: Uint32Array, a: number, b: number): boolean {
  const length = starts[a + 1] - starts[a];
  if (starts[b + 1] - starts[b] !== length) return false;
  for (let n = 0; n < length; n++) {
    if (columns[starts[a] + n] !== columns[starts[b] + n] || bits[starts[a] + n] !== bits[starts[b] + n]) {
      return false;
    }
  }
  return true;
}
