// Float16 → float32 and float64, for the kernels that read vectors; and float32 → float16.

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

/** Eight float32 at an address → float16, to the nearest, ties to even. From 65,520 on they become infinity. No number is NaN. */
export function eightToHalves(numbers: usize): v128 {
  return i16x8.narrow_i32x4_u(fourToHalves(v128.load(numbers)), fourToHalves(v128.load(numbers, 16)));
}

function fourToHalves(bits: v128): v128 {
  const size = v128.and(bits, i32x4.splat(0x7fffffff));
  // What is added carries if the cut bits are above the half, or equal to it and the last kept bit is 1.
  const odd = v128.and(i32x4.shr_u(bits, 13), i32x4.splat(1));
  const normal = i32x4.shr_u(i32x4.add(i32x4.add(size, odd), i32x4.splat(0xfff - (112 << 23))), 13);
  // Subnormal in float16: beside 0.5, the last bit of a float32 is worth 2⁻²⁴, as that of such a number.
  const small = i32x4.sub(f32x4.add(size, f32x4.splat(0.5)), f32x4.splat(0.5));
  const half = v128.bitselect(small, normal, i32x4.lt_s(size, i32x4.splat(113 << 23)));
  const sign = v128.and(i32x4.shr_u(bits, 16), i32x4.splat(0x8000));
  return v128.or(sign, i32x4.min_u(half, i32x4.splat(0x7c00)));
}
