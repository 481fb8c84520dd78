// Float16 vectors → what a layout has of them: planes and sketches. Each kernel gives the bits of its plain definition,
// which adds in float64 and in the order of the dimensions. So a register never holds two numbers of one sum: it holds the
// same dimension of two vectors, and four vectors are done at a time.

import { fourHalves, upper } from "./halves";

/** A double of this size has no bits for a fraction, so adding it rounds. The low 32 bits are then the rounded number. */
const NO_FRACTION: f64 = 6755399441055744; // 1.5 · 2⁵²

/**
 * Decodes `count` float16 vectors of `dims` numbers into rows of `width` float32, a multiple of 4. The rest of a row is 0, and
 * so are further rows up to a multiple of sixteen.
 */
export function decodeVectors(halves: usize, count: i32, dims: i32, width: i32, rows: usize): void {
  const fours = dims & ~3;
  const bytes = (<usize>width) << 2;
  for (let row = 0; row < count; row++) {
    let dim = 0;
    for (; dim < fours; dim += 4) {
      v128.store(rows + ((<usize>dim) << 2), fourHalves(load<u64>(halves + ((<usize>dim) << 1))));
    }
    for (; dim < dims; dim++) {
      const value = fourHalves(<u64>load<u16>(halves + ((<usize>dim) << 1)));
      store<f32>(rows + ((<usize>dim) << 2), f32x4.extract_lane(value, 0));
    }
    for (; dim < width; dim++) store<f32>(rows + ((<usize>dim) << 2), 0);
    halves += (<usize>dims) << 1;
    rows += bytes;
  }
  memory.fill(rows, 0, <usize>(-count & 15) * bytes);
}

/**
 * Rounds one plane of `count` vectors, a multiple of four, to int8. `rows` is the address of the plane in the first vector,
 * `stride` the bytes from one vector to the next, and `width` a multiple of four. codes[vector] has `width` bytes,
 * scales[vector] is what a step is worth. rests[vector], float64, is the squared length of the planes after this one; this
 * plane's is added. tails[vector], if there is an address, is the length of those planes, rounded up. Returns the largest
 * length of a rounding error, in units of its scale. segment/semantic/planes.test.ts has the definition.
 */
export function cutPlane(
  rows: usize,
  stride: i32,
  count: i32,
  width: i32,
  codes: usize,
  scales: usize,
  rests: usize,
  tails: usize,
): f64 {
  const step = <usize>stride;
  const bytes = (<usize>width) << 2;
  const round = f64x2.splat(NO_FRACTION);
  let largest: f64 = 0;
  for (let i = 0; i < count; i += 4) {
    const a = rows;
    const b = a + step;
    const c = b + step;
    const d = c + step;
    const scaleA = scaleOf(a, bytes);
    const scaleB = scaleOf(b, bytes);
    const scaleC = scaleOf(c, bytes);
    const scaleD = scaleOf(d, bytes);
    store<f32>(scales, scaleA);
    store<f32>(scales, scaleB, 4);
    store<f32>(scales, scaleC, 8);
    store<f32>(scales, scaleD, 12);
    const scaleAB = f64x2.replace_lane(f64x2.splat(<f64>scaleA), 1, <f64>scaleB);
    const scaleCD = f64x2.replace_lane(f64x2.splat(<f64>scaleC), 1, <f64>scaleD);
    const perAB = f64x2.replace_lane(f64x2.splat(perUnit(scaleA)), 1, perUnit(scaleB));
    const perCD = f64x2.replace_lane(f64x2.splat(perUnit(scaleC)), 1, perUnit(scaleD));
    let restAB = v128.load(rests);
    let restCD = v128.load(rests, 16);
    if (tails !== 0) {
      const low = f64x2.mul(f64x2.sqrt(restAB), f64x2.splat(1 + 2.384185791015625e-7));
      const high = f64x2.mul(f64x2.sqrt(restCD), f64x2.splat(1 + 2.384185791015625e-7));
      v128.store(tails, i64x2.shuffle(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 2));
      tails += 16;
    }
    let errorAB = f64x2.splat(0);
    let errorCD = f64x2.splat(0);
    // Two dimensions at a time: more would be faster by little, and the module longer.
    for (let at: usize = 0; at < bytes; at += 8) {
      const ab = twoDims(a + at, b + at);
      const cd = twoDims(c + at, d + at);
      let xAB = f64x2.promote_low_f32x4(ab);
      let xCD = f64x2.promote_low_f32x4(cd);
      restAB = f64x2.add(restAB, f64x2.mul(xAB, xAB));
      restCD = f64x2.add(restCD, f64x2.mul(xCD, xCD));
      let codeAB = f64x2.add(f64x2.mul(xAB, perAB), round);
      let codeCD = f64x2.add(f64x2.mul(xCD, perCD), round);
      errorAB = f64x2.add(errorAB, squaredMiss(xAB, f64x2.sub(codeAB, round), scaleAB));
      errorCD = f64x2.add(errorCD, squaredMiss(xCD, f64x2.sub(codeCD, round), scaleCD));
      const first = i32x4.shuffle(codeAB, codeCD, 0, 2, 4, 6);
      xAB = upper(ab);
      xCD = upper(cd);
      restAB = f64x2.add(restAB, f64x2.mul(xAB, xAB));
      restCD = f64x2.add(restCD, f64x2.mul(xCD, xCD));
      codeAB = f64x2.add(f64x2.mul(xAB, perAB), round);
      codeCD = f64x2.add(f64x2.mul(xCD, perCD), round);
      errorAB = f64x2.add(errorAB, squaredMiss(xAB, f64x2.sub(codeAB, round), scaleAB));
      errorCD = f64x2.add(errorCD, squaredMiss(xCD, f64x2.sub(codeCD, round), scaleCD));
      const second = i32x4.shuffle(codeAB, codeCD, 0, 2, 4, 6);
      // The low bytes, vector by vector.
      const low = i8x16.shuffle(first, second, 0, 16, 4, 20, 8, 24, 12, 28, 0, 0, 0, 0, 0, 0, 0, 0);
      const to = codes + (at >> 2);
      v128.store_lane<u16>(to, low, 0);
      v128.store_lane<u16>(to + width, low, 1);
      v128.store_lane<u16>(to + ((<usize>width) << 1), low, 2);
      v128.store_lane<u16>(to + <usize>width * 3, low, 3);
    }
    v128.store(rests, restAB);
    v128.store(rests, restCD, 16);
    const missedAB = f64x2.mul(f64x2.sqrt(errorAB), perAB);
    const missedCD = f64x2.mul(f64x2.sqrt(errorCD), perCD);
    const missed = f64x2.pmax(missedAB, missedCD);
    largest = max(largest, max(f64x2.extract_lane(missed, 0), f64x2.extract_lane(missed, 1)));
    rows += step << 2;
    codes += bytes;
    scales += 16;
    rests += 32;
  }
  return largest;
}

/** Two dimensions of two vectors: [a0 b0 a1 b1]. */
function twoDims(a: usize, b: usize): v128 {
  return i32x4.shuffle(v128.load64_zero(a), v128.load64_zero(b), 0, 4, 1, 5);
}

function squaredMiss(x: v128, code: v128, scale: v128): v128 {
  const missed = f64x2.sub(x, f64x2.mul(code, scale));
  return f64x2.mul(missed, missed);
}

/** What a short float leaves out of a float32: see support/numbers/short-float.ts. */
const DROPPED_BITS: u32 = 0x7fff;

/** The scale of numbers, a short float: their largest becomes 127 or −127, or the next code if the scale was rounded up. */
function scaleOf(numbers: usize, bytes: usize): f32 {
  let most = f32x4.splat(0);
  for (let at: usize = 0; at < bytes; at += 16) most = f32x4.pmax(most, f32x4.abs(v128.load(numbers + at)));
  const two = f32x4.pmax(most, i32x4.shuffle(most, most, 2, 3, 0, 1));
  const scale = <f32>(<f64>max(f32x4.extract_lane(two, 0), f32x4.extract_lane(two, 1)) / 127);
  return reinterpret<f32>((reinterpret<u32>(scale) + DROPPED_BITS) & ~DROPPED_BITS);
}

/** How many steps of a scale are 1; 0 if all numbers are 0. */
function perUnit(scale: f32): f64 {
  return scale > 0 ? 1 / <f64>scale : 0;
}

/**
 * Finds the nearest of sixteen centroids for every four dimensions of `count` vectors, a multiple of sixteen, and writes the
 * codes of `parts` parts as scanNibbles reads them. The codebook of a part is dimension by dimension; `halves` has −½‖c‖².
 * nearestCentroid of segment/codes/code-shape.ts is the definition; a dimension of 0 changes no sum, so none is skipped.
 */
export function sketchCodes(
  rows: usize,
  stride: i32,
  count: i32,
  parts: i32,
  codebooks: usize,
  halves: usize,
  codes: usize,
): void {
  const step = <usize>stride;
  for (let group = 0; group < count; group += 16) {
    let book = codebooks;
    let half = halves;
    let column = rows;
    for (let part = 0; part < parts; part++) {
      let row = column;
      for (let lane: usize = 0; lane < 16; lane++) {
        const code = nearestOfSixteen(row, book, half);
        store<u8>(codes + lane, <u8>(part & 1 ? load<u8>(codes + lane) | (code << 4) : code));
        row += step;
      }
      codes += (part & 1) << 4;
      book += 256;
      half += 64;
      column += 16;
    }
    rows += step << 4;
  }
}

function nearestOfSixteen(numbers: usize, book: usize, half: usize): i32 {
  let x = v128.load32_splat(numbers);
  let a = f32x4.add(v128.load(half), f32x4.mul(x, v128.load(book)));
  let b = f32x4.add(v128.load(half, 16), f32x4.mul(x, v128.load(book, 16)));
  let c = f32x4.add(v128.load(half, 32), f32x4.mul(x, v128.load(book, 32)));
  let d = f32x4.add(v128.load(half, 48), f32x4.mul(x, v128.load(book, 48)));
  x = v128.load32_splat(numbers, 4);
  a = f32x4.add(a, f32x4.mul(x, v128.load(book, 64)));
  b = f32x4.add(b, f32x4.mul(x, v128.load(book, 80)));
  c = f32x4.add(c, f32x4.mul(x, v128.load(book, 96)));
  d = f32x4.add(d, f32x4.mul(x, v128.load(book, 112)));
  x = v128.load32_splat(numbers, 8);
  a = f32x4.add(a, f32x4.mul(x, v128.load(book, 128)));
  b = f32x4.add(b, f32x4.mul(x, v128.load(book, 144)));
  c = f32x4.add(c, f32x4.mul(x, v128.load(book, 160)));
  d = f32x4.add(d, f32x4.mul(x, v128.load(book, 176)));
  x = v128.load32_splat(numbers, 12);
  a = f32x4.add(a, f32x4.mul(x, v128.load(book, 192)));
  b = f32x4.add(b, f32x4.mul(x, v128.load(book, 208)));
  c = f32x4.add(c, f32x4.mul(x, v128.load(book, 224)));
  d = f32x4.add(d, f32x4.mul(x, v128.load(book, 240)));
  const four = f32x4.pmax(f32x4.pmax(a, b), f32x4.pmax(c, d));
  const two = f32x4.pmax(four, i32x4.shuffle(four, four, 2, 3, 0, 1));
  const most = f32x4.pmax(two, i32x4.shuffle(two, two, 1, 0, 3, 2));
  const low = i16x8.narrow_i32x4_s(f32x4.eq(a, most), f32x4.eq(b, most));
  const high = i16x8.narrow_i32x4_s(f32x4.eq(c, most), f32x4.eq(d, most));
  return ctz(i8x16.bitmask(i8x16.narrow_i16x8_s(low, high)));
}

/**
 * Compares the sketches of `count` vectors, a multiple of sixteen, with the vectors: stretches[vector] is the factor that a
 * sketch is stretched by, missed[vector] the length of what it then misses. `centroids` are part by part, four numbers each.
 * segment/semantic/plain-sketches.ts has the definition.
 */
export function measureSketches(
  rows: usize,
  stride: i32,
  count: i32,
  parts: i32,
  centroids: usize,
  codes: usize,
  stretches: usize,
  missed: usize,
): void {
  const step = <usize>stride;
  const groupBytes = (<usize>parts) << 3;
  for (let i = 0; i < count; i += 4) {
    let a = rows;
    let own = codes + <usize>(i >> 4) * groupBytes + <usize>(i & 15);
    let book = centroids;
    let squaresAB = f64x2.splat(0);
    let squaresCD = f64x2.splat(0);
    let productsAB = f64x2.splat(0);
    let productsCD = f64x2.splat(0);
    let sketchSquaresAB = f64x2.splat(0);
    let sketchSquaresCD = f64x2.splat(0);
    let four: u32 = 0;
    for (let pair = 0; pair < parts << 1; pair++) {
      // A pair of dimensions: two are a part, and a byte has the codes of two parts.
      if ((pair & 3) === 0) {
        four = load<u32>(own);
        own += 16;
      } else if ((pair & 3) === 2) {
        four = four >> 4;
      }
      const ab = twoDims(a, a + step);
      const cd = twoDims(a + (step << 1), a + step * 3);
      // The address of a centroid is its code times sixteen.
      const sketchAB = twoDims(book + <usize>((four << 4) & 0xf0), book + <usize>((four >> 4) & 0xf0));
      const sketchCD = twoDims(book + <usize>((four >> 12) & 0xf0), book + <usize>((four >> 20) & 0xf0));
      a += 8;
      book += pair & 1 ? 248 : 8;
      let x = f64x2.promote_low_f32x4(ab);
      let s = f64x2.promote_low_f32x4(sketchAB);
      squaresAB = f64x2.add(squaresAB, f64x2.mul(x, x));
      productsAB = f64x2.add(productsAB, f64x2.mul(x, s));
      sketchSquaresAB = f64x2.add(sketchSquaresAB, f64x2.mul(s, s));
      x = f64x2.promote_low_f32x4(cd);
      s = f64x2.promote_low_f32x4(sketchCD);
      squaresCD = f64x2.add(squaresCD, f64x2.mul(x, x));
      productsCD = f64x2.add(productsCD, f64x2.mul(x, s));
      sketchSquaresCD = f64x2.add(sketchSquaresCD, f64x2.mul(s, s));
      x = upper(ab);
      s = upper(sketchAB);
      squaresAB = f64x2.add(squaresAB, f64x2.mul(x, x));
      productsAB = f64x2.add(productsAB, f64x2.mul(x, s));
      sketchSquaresAB = f64x2.add(sketchSquaresAB, f64x2.mul(s, s));
      x = upper(cd);
      s = upper(sketchCD);
      squaresCD = f64x2.add(squaresCD, f64x2.mul(x, x));
      productsCD = f64x2.add(productsCD, f64x2.mul(x, s));
      sketchSquaresCD = f64x2.add(sketchSquaresCD, f64x2.mul(s, s));
    }
    settleSketches(squaresAB, productsAB, sketchSquaresAB, stretches, missed);
    settleSketches(squaresCD, productsCD, sketchSquaresCD, stretches + 8, missed + 8);
    rows += step << 2;
    stretches += 16;
    missed += 16;
  }
}

/** The stretch of two sketches, and what they miss. */
function settleSketches(
  squares: v128,
  products: v128,
  sketchSquares: v128,
  stretches: usize,
  missed: usize,
): void {
  const some = f64x2.gt(products, f64x2.splat(0));
  const stretch = v128.and(f64x2.div(squares, products), some);
  const left = f64x2.sub(f64x2.mul(f64x2.mul(stretch, stretch), sketchSquares), squares);
  const rest = v128.bitselect(f64x2.pmax(f64x2.splat(0), left), squares, f64x2.ne(stretch, f64x2.splat(0)));
  v128.store64_lane(stretches, f32x4.demote_f64x2_zero(stretch), 0);
  v128.store64_lane(missed, f32x4.demote_f64x2_zero(f64x2.sqrt(rest)), 0);
}
