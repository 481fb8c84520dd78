// Exact inner products with vectors in float16, in float64, in the order of the definition (kernel/dot.ts): four sums
// of every fourth dimension. Two of them lie in each register.

/**
 * dots[i] = Σ query · vector of docs[i]. `dims` numbers of float32 and of float16; `docs` are u32. Vectors lie far
 * apart: four are read at once, so that the memory is asked for all of them before the first is there.
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
    // Past the end of the list its last document stands in.
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

/** The third and fourth of four float32. */
function upper(four: v128): v128 {
  return f64x2.promote_low_f32x4(i32x4.shuffle(four, four, 2, 3, 2, 3));
}

/**
 * Four float16 as float32, exactly: exponent and fraction are moved into place, and the difference of the two exponents'
 * zero points is multiplied in, which subnormal numbers need too. Infinite ones are not stored.
 */
function fourHalves(halves: u64): v128 {
  // Widened with its sign, a number has that in the bits above it; one of them ends up where float32 has it.
  const wide = i32x4.extend_low_i16x8_s(i64x2.splat(halves));
  const placed = v128.and(i32x4.shl(wide, 13), i32x4.splat(0x8fffe000));
  return f32x4.mul(placed, f32x4.splat(reinterpret<f32>(0x77800000)));
}
