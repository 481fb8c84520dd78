// The inner product of a vector with one that is stored in float16, beginning at `start`.

import { FLOAT16 } from "../support/float16.ts";

/**
 * In float64, as four sums of every fourth dimension: part of the definition of a score, because what is added in
 * another order differs in the last bit. One sum alone would wait for each addition before the next.
 */
export function dotFloat16(vector: Float32Array, bits: Uint16Array, start: number): number {
  const dims = vector.length;
  const fours = dims - (dims % 4);
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < fours; i += 4) {
    const at = start + i;
    a += vector[i] * FLOAT16[bits[at]];
    b += vector[i + 1] * FLOAT16[bits[at + 1]];
    c += vector[i + 2] * FLOAT16[bits[at + 2]];
    d += vector[i + 3] * FLOAT16[bits[at + 3]];
  }
  for (let i = fours; i < dims; i++) a += vector[i] * FLOAT16[bits[start + i]];
  return a + b + (c + d);
}
