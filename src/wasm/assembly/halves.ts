// Float16 → float32 and float64, for the kernels that read vectors.

/**
 * Four float16 → float32, exactly. Exponent and fraction are shifted into position; a multiplication then corrects the
 * exponent's bias, which is right for subnormal numbers too. Infinities are never stored.
 */
export function fourHalves(halves: u64): v128 {
  // Sign extension fills the upper bits with the sign; after the shift one of them is float32's sign bit.
  const wide = i32x4.extend_low_i16x8_s(i64x2.splat(halves));
  const placed = v128.and(i32x4.shl(wide, 13), i32x4.splat(0x8fffe000));
  return f32x4.mul(placed, f32x4.splat(reinterpret<f32>(0x77800000)));
}

/** The third and fourth of four float32. */
export function upper(four: v128): v128 {
  return f64x2.promote_low_f32x4(i32x4.shuffle(four, four, 2, 3, 2, 3));
}
