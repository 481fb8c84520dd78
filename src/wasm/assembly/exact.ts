// A query's vector and documents' float16 vectors → inner products. `dotsFloat16` is exact: it adds in float64, in the
// order of the definition (rank/dot.ts), which keeps four sums of every fourth dimension; a register holds two of them.
// `vectorRefine` adds in float32, for a scan.

import { fourHalves, upper } from "./halves";

/**
 * dots[i] = Σ query · vector of docs[i]. The query is `dims` × float32, a vector `dims` × float16, `docs` are u32.
 * Vectors lie far apart in memory, so four are read at once: their loads overlap.
 */
export function dotsFloat16(
  query: usize,
  vectors: usize,
  dims: i32,
  docs: usize,
  count: i32,
  dots: usize,
): void {
  const stride = (<usize>dims) << 1;
  const fours = <usize>(dims & ~3);
  for (let i = 0; i < count; i += 4) {
    // Past the end of the list, its last document is repeated.
    const a = vectors + docAt(docs, i, count) * stride;
    const b = vectors + docAt(docs, i + 1, count) * stride;
    const c = vectors + docAt(docs, i + 2, count) * stride;
    const d = vectors + docAt(docs, i + 3, count) * stride;
    let aLow = f64x2.splat(0);
    let aHigh = f64x2.splat(0);
    let bLow = f64x2.splat(0);
    let bHigh = f64x2.splat(0);
    let cLow = f64x2.splat(0);
    let cHigh = f64x2.splat(0);
    let dLow = f64x2.splat(0);
    let dHigh = f64x2.splat(0);
    for (let at: usize = 0; at < fours; at += 4) {
      const weights = v128.load(query + (at << 2));
      const low = f64x2.promote_low_f32x4(weights);
      const high = upper(weights);
      const half = at << 1;
      const x = fourHalves(load<u64>(a + half));
      const y = fourHalves(load<u64>(b + half));
      const z = fourHalves(load<u64>(c + half));
      const w = fourHalves(load<u64>(d + half));
      aLow = f64x2.add(aLow, f64x2.mul(low, f64x2.promote_low_f32x4(x)));
      aHigh = f64x2.add(aHigh, f64x2.mul(high, upper(x)));
      bLow = f64x2.add(bLow, f64x2.mul(low, f64x2.promote_low_f32x4(y)));
      bHigh = f64x2.add(bHigh, f64x2.mul(high, upper(y)));
      cLow = f64x2.add(cLow, f64x2.mul(low, f64x2.promote_low_f32x4(z)));
      cHigh = f64x2.add(cHigh, f64x2.mul(high, upper(z)));
      dLow = f64x2.add(dLow, f64x2.mul(low, f64x2.promote_low_f32x4(w)));
      dHigh = f64x2.add(dHigh, f64x2.mul(high, upper(w)));
    }
    finish(aLow, aHigh, query, a, dims, dots, i, count);
    finish(bLow, bHigh, query, b, dims, dots, i + 1, count);
    finish(cLow, cHigh, query, c, dims, dots, i + 2, count);
    finish(dLow, dHigh, query, d, dims, dots, i + 3, count);
  }
}

/**
 * For the listed documents of a window: sums[lane] = terms[lane] + Σ query · vector, in float32. Documents below the
 * threshold leave the list. Returns how many are left.
 */
export function vectorRefine(
  query: usize,
  vectors: usize,
  dims: i32,
  lanes: usize,
  listed: i32,
  terms: usize,
  sums: usize,
  threshold: f32,
): i32 {
  const stride = (<usize>dims) << 1;
  const fours = <usize>(dims & ~3);
  let kept = 0;
  for (let i = 0; i < listed; i += 4) {
    const a = docAt(lanes, i, listed);
    const b = docAt(lanes, i + 1, listed);
    const c = docAt(lanes, i + 2, listed);
    const d = docAt(lanes, i + 3, listed);
    const rowA = vectors + a * stride;
    const rowB = vectors + b * stride;
    const rowC = vectors + c * stride;
    const rowD = vectors + d * stride;
    let sumA = f32x4.splat(0);
    let sumB = f32x4.splat(0);
    let sumC = f32x4.splat(0);
    let sumD = f32x4.splat(0);
    for (let at: usize = 0; at < fours; at += 4) {
      const weights = v128.load(query + (at << 2));
      const half = at << 1;
      sumA = f32x4.add(sumA, f32x4.mul(weights, fourHalves(load<u64>(rowA + half))));
      sumB = f32x4.add(sumB, f32x4.mul(weights, fourHalves(load<u64>(rowB + half))));
      sumC = f32x4.add(sumC, f32x4.mul(weights, fourHalves(load<u64>(rowC + half))));
      sumD = f32x4.add(sumD, f32x4.mul(weights, fourHalves(load<u64>(rowD + half))));
    }
    kept = settle(a, sumA, rowA, query, dims, terms, sums, threshold, lanes, kept);
    if (i + 1 < listed) kept = settle(b, sumB, rowB, query, dims, terms, sums, threshold, lanes, kept);
    if (i + 2 < listed) kept = settle(c, sumC, rowC, query, dims, terms, sums, threshold, lanes, kept);
    if (i + 3 < listed) kept = settle(d, sumD, rowD, query, dims, terms, sums, threshold, lanes, kept);
  }
  return kept;
}

/**
 * Adds the terms and the dimensions after the last four, and keeps the document in the list if the sum reaches the
 * threshold.
 */
function settle(
  lane: usize,
  four: v128,
  vector: usize,
  query: usize,
  dims: i32,
  terms: usize,
  sums: usize,
  threshold: f32,
  lanes: usize,
  kept: i32,
): i32 {
  let sum = load<f32>(terms + (lane << 2));
  for (let at = dims & ~3; at < dims; at++) {
    const value = fourHalves(<u64>load<u16>(vector + ((<usize>at) << 1)));
    sum += load<f32>(query + ((<usize>at) << 2)) * f32x4.extract_lane(value, 0);
  }
  sum +=
    f32x4.extract_lane(four, 0) +
    f32x4.extract_lane(four, 1) +
    (f32x4.extract_lane(four, 2) + f32x4.extract_lane(four, 3));
  store<f32>(sums + (lane << 2), sum);
  if (sum < threshold) return kept;
  store<u32>(lanes + ((<usize>kept) << 2), <u32>lane);
  return kept + 1;
}

/** to[lane] = from[lane], float32, for listed documents. */
export function copyListed(lanes: usize, listed: i32, from: usize, to: usize): void {
  for (let i = 0; i < listed; i++) {
    const lane = (<usize>load<u32>(lanes + ((<usize>i) << 2))) << 2;
    store<f32>(to + lane, load<f32>(from + lane));
  }
}

function docAt(docs: usize, i: i32, count: i32): usize {
  return <usize>load<u32>(docs + ((<usize>min(i, count - 1)) << 2));
}

/** Adds the dimensions after the last four, and the four sums. */
function finish(
  low: v128,
  high: v128,
  query: usize,
  vector: usize,
  dims: i32,
  dots: usize,
  i: i32,
  count: i32,
): void {
  if (i >= count) return;
  let first = f64x2.extract_lane(low, 0);
  for (let at = dims & ~3; at < dims; at++) {
    const value = fourHalves(<u64>load<u16>(vector + ((<usize>at) << 1)));
    first += <f64>load<f32>(query + ((<usize>at) << 2)) * <f64>f32x4.extract_lane(value, 0);
  }
  const sum =
    first + f64x2.extract_lane(low, 1) + (f64x2.extract_lane(high, 0) + f64x2.extract_lane(high, 1));
  store<f64>(dots + ((<usize>i) << 3), sum);
}
