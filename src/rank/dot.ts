// The inner product of a query's vector with a document's, which is stored in float16.

import { FLOAT16 } from "../support/numbers/float16.ts";

/**
 * The product with the vector that begins at `bits[start]`. It adds in float64, in four sums of every fourth dimension. The
 * order is part of the definition of a score: another order differs in the last bit. One sum would be slower, since each
 * addition would wait for the previous one.
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
