// The exact inner product with a vector in float16, in float64, in the order of the definition (kernel/dot.ts): four
// sums of every fourth dimension. Two of them lie in each register.

/** Σ query · vector. `dims` numbers of float32 and of float16. */
export function dotFloat16(query: usize, vector: usize, dims: i32): f64 {
  let ab = f64x2.splat(0);
  let cd = f64x2.splat(0);
  const fours = dims & ~3;
  let i = 0;
  for (; i < fours; i += 4) {
    const values = fourHalves(load<u64>(vector));
    const weights = v128.load(query);
    ab = f64x2.add(ab, f64x2.mul(f64x2.promote_low_f32x4(weights), f64x2.promote_low_f32x4(values)));
    const upperWeights = i32x4.shuffle(weights, weights, 2, 3, 2, 3);
    const upperValues = i32x4.shuffle(values, values, 2, 3, 2, 3);
    cd = f64x2.add(
      cd,
      f64x2.mul(f64x2.promote_low_f32x4(upperWeights), f64x2.promote_low_f32x4(upperValues)),
    );
    vector += 8;
    query += 16;
  }
  let a = f64x2.extract_lane(ab, 0);
  for (; i < dims; i++) {
    a += <f64>load<f32>(query) * <f64>f32x4.extract_lane(fourHalves(<u64>load<u16>(vector)), 0);
    vector += 2;
    query += 4;
  }
  return a + f64x2.extract_lane(ab, 1) + (f64x2.extract_lane(cd, 0) + f64x2.extract_lane(cd, 1));
}

/**
 * Four float16 as float32, exactly: exponent and fraction are moved into place, and the difference of the two exponents'
 * zero points is multiplied in, which subnormal numbers need too. Infinite ones are not stored.
 */
function fourHalves(halves: u64): v128 {
  const wide = i32x4.extend_low_i16x8_u(i64x2.splat(halves));
  const sign = i32x4.shl(v128.and(wide, i32x4.splat(0x8000)), 16);
  const size = i32x4.shl(v128.and(wide, i32x4.splat(0x7fff)), 13);
  return v128.or(f32x4.mul(size, f32x4.splat(reinterpret<f32>(0x77800000))), sign);
}
