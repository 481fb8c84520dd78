// Rows of an int8 table and a weight for each → their weighted sum, in float64. Every number is made by the operations of
// the definition (encode/static/static-encoder.ts), in its order, so it has the same bits.

import { eightToHalves } from "./halves";

/**
 * sum[dim] = Σ weights[i] · row i, by fours, and returns the sum's squared length. `rows` are `count` addresses, u32, a multiple
 * of 4; `weights` as many float64; `sum` has `dims` float64.
 */
export function sumRows(rows: usize, weights: usize, count: i32, dims: i32, sum: usize): f64 {
  const eights = dims & ~7;
  for (let dim = 0; dim < eights; dim += 8) sumEight(rows, weights, count, dim, sum);
  for (let dim = eights; dim < dims; dim++) sumOne(rows, weights, count, dim, sum);
  let squares: f64 = 0;
  for (let dim = 0; dim < dims; dim++) {
    const x = load<f64>(sum + ((<usize>dim) << 3));
    squares += x * x;
  }
  return squares;
}

/** halves[i] = numbers[i] in float16, to the nearest. `count` is rounded up to a multiple of eight. No number is NaN. */
export function roundToHalves(numbers: usize, count: i32, halves: usize): void {
  const end = halves + ((<usize>count) << 1);
  for (; halves < end; halves += 16) {
    v128.store(halves, eightToHalves(numbers));
    numbers += 32;
  }
}

/** vector[dim] = sum[dim] · factor, rounded to float32. */
export function scaleSum(sum: usize, dims: i32, factor: f64, vector: usize): void {
  const fours = dims & ~3;
  const factors = f64x2.splat(factor);
  for (let dim = 0; dim < fours; dim += 4) {
    const at = sum + ((<usize>dim) << 3);
    const low = f32x4.demote_f64x2_zero(f64x2.mul(v128.load(at), factors));
    const high = f32x4.demote_f64x2_zero(f64x2.mul(v128.load(at, 16), factors));
    v128.store(vector + ((<usize>dim) << 2), i64x2.shuffle(low, high, 0, 2));
  }
  for (let dim = fours; dim < dims; dim++) {
    store<f32>(vector + ((<usize>dim) << 2), <f32>(load<f64>(sum + ((<usize>dim) << 3)) * factor));
  }
}

/** Eight dimensions stay in registers while all rows are added. */
function sumEight(rows: usize, weights: usize, count: i32, dim: i32, sum: usize): void {
  let a = f64x2.splat(0);
  let b = f64x2.splat(0);
  let c = f64x2.splat(0);
  let d = f64x2.splat(0);
  const end = rows + ((<usize>count) << 2);
  while (rows < end) {
    let values = v128.load_ext<i8>(<usize>load<u32>(rows) + dim);
    let weight = v128.load_splat<f64>(weights);
    let four = i32x4.extend_low_i16x8_s(values);
    let next = i32x4.extend_high_i16x8_s(values);
    let p = f64x2.mul(weight, f64x2.convert_low_i32x4_s(four));
    let q = f64x2.mul(weight, upperTwo(four));
    let r = f64x2.mul(weight, f64x2.convert_low_i32x4_s(next));
    let s = f64x2.mul(weight, upperTwo(next));
    for (let i: usize = 1; i < 4; i++) {
      values = v128.load_ext<i8>(<usize>load<u32>(rows + (i << 2)) + dim);
      weight = v128.load_splat<f64>(weights + (i << 3));
      four = i32x4.extend_low_i16x8_s(values);
      next = i32x4.extend_high_i16x8_s(values);
      p = f64x2.add(p, f64x2.mul(weight, f64x2.convert_low_i32x4_s(four)));
      q = f64x2.add(q, f64x2.mul(weight, upperTwo(four)));
      r = f64x2.add(r, f64x2.mul(weight, f64x2.convert_low_i32x4_s(next)));
      s = f64x2.add(s, f64x2.mul(weight, upperTwo(next)));
    }
    a = f64x2.add(a, p);
    b = f64x2.add(b, q);
    c = f64x2.add(c, r);
    d = f64x2.add(d, s);
    rows += 16;
    weights += 32;
  }
  const to = sum + ((<usize>dim) << 3);
  v128.store(to, a);
  v128.store(to, b, 16);
  v128.store(to, c, 32);
  v128.store(to, d, 48);
}

/** The sum of one dimension, for those after the last eight. */
function sumOne(rows: usize, weights: usize, count: i32, dim: i32, sum: usize): void {
  let total: f64 = 0;
  for (let i = 0; i < count; i += 4) {
    let four = weightedValue(rows, weights, i, dim);
    for (let j = 1; j < 4; j++) four += weightedValue(rows, weights, i + j, dim);
    total += four;
  }
  store<f64>(sum + ((<usize>dim) << 3), total);
}

function weightedValue(rows: usize, weights: usize, i: i32, dim: i32): f64 {
  const row = <usize>load<u32>(rows + ((<usize>i) << 2));
  return load<f64>(weights + ((<usize>i) << 3)) * <f64>load<i8>(row + dim);
}

/** The third and fourth of four int32, as float64. */
function upperTwo(four: v128): v128 {
  return f64x2.convert_low_i32x4_s(i32x4.shuffle(four, four, 2, 3, 2, 3));
}
