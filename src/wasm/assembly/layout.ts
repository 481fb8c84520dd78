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
    for (let at: usize = 0; at < bytes; at += 16) {
      const rowA = v128.load(a + at);
      const rowB = v128.load(b + at);
      const rowC = v128.load(c + at);
      const rowD = v128.load(d + at);
      // [A0 B0 A1 B1], [A2 B2 A3 B3], and the same of C and D.
      const lowAB = i32x4.shuffle(rowA, rowB, 0, 4, 1, 5);
      const highAB = i32x4.shuffle(rowA, rowB, 2, 6, 3, 7);
      const lowCD = i32x4.shuffle(rowC, rowD, 0, 4, 1, 5);
      const highCD = i32x4.shuffle(rowC, rowD, 2, 6, 3, 7);

      let xAB = f64x2.promote_low_f32x4(lowAB);
      let xCD = f64x2.promote_low_f32x4(lowCD);
      restAB = f64x2.add(restAB, f64x2.mul(xAB, xAB));
      restCD = f64x2.add(restCD, f64x2.mul(xCD, xCD));
      let codeAB = f64x2.add(f64x2.mul(xAB, perAB), round);
      let codeCD = f64x2.add(f64x2.mul(xCD, perCD), round);
      errorAB = f64x2.add(errorAB, squaredMiss(xAB, f64x2.sub(codeAB, round), scaleAB));
      errorCD = f64x2.add(errorCD, squaredMiss(xCD, f64x2.sub(codeCD, round), scaleCD));
      const code0 = i32x4.shuffle(codeAB, codeCD, 0, 2, 4, 6);

      xAB = upper(lowAB);
      xCD = upper(lowCD);
      restAB = f64x2.add(restAB, f64x2.mul(xAB, xAB));
      restCD = f64x2.add(restCD, f64x2.mul(xCD, xCD));
      codeAB = f64x2.add(f64x2.mul(xAB, perAB), round);
      codeCD = f64x2.add(f64x2.mul(xCD, perCD), round);
      errorAB = f64x2.add(errorAB, squaredMiss(xAB, f64x2.sub(codeAB, round), scaleAB));
      errorCD = f64x2.add(errorCD, squaredMiss(xCD, f64x2.sub(codeCD, round), scaleCD));
      const code1 = i32x4.shuffle(codeAB, codeCD, 0, 2, 4, 6);

      xAB = f64x2.promote_low_f32x4(highAB);
      xCD = f64x2.promote_low_f32x4(highCD);
      restAB = f64x2.add(restAB, f64x2.mul(xAB, xAB));
      restCD = f64x2.add(restCD, f64x2.mul(xCD, xCD));
      codeAB = f64x2.add(f64x2.mul(xAB, perAB), round);
      codeCD = f64x2.add(f64x2.mul(xCD, perCD), round);
      errorAB = f64x2.add(errorAB, squaredMiss(xAB, f64x2.sub(codeAB, round), scaleAB));
      errorCD = f64x2.add(errorCD, squaredMiss(xCD, f64x2.sub(codeCD, round), scaleCD));
      const code2 = i32x4.shuffle(codeAB, codeCD, 0, 2, 4, 6);

      xAB = upper(highAB);
      xCD = upper(highCD);
      restAB = f64x2.add(restAB, f64x2.mul(xAB, xAB));
      restCD = f64x2.add(restCD, f64x2.mul(xCD, xCD));
      codeAB = f64x2.add(f64x2.mul(xAB, perAB), round);
      codeCD = f64x2.add(f64x2.mul(xCD, perCD), round);
      errorAB = f64x2.add(errorAB, squaredMiss(xAB, f64x2.sub(codeAB, round), scaleAB));
      errorCD = f64x2.add(errorCD, squaredMiss(xCD, f64x2.sub(codeCD, round), scaleCD));
      const code3 = i32x4.shuffle(codeAB, codeCD, 0, 2, 4, 6);

      // The low bytes, vector by vector.
      const codes01 = i8x16.shuffle(code0, code1, 0, 16, 4, 20, 8, 24, 12, 28, 0, 0, 0, 0, 0, 0, 0, 0);
      const codes23 = i8x16.shuffle(code2, code3, 0, 16, 4, 20, 8, 24, 12, 28, 0, 0, 0, 0, 0, 0, 0, 0);
      const all = i16x8.shuffle(codes01, codes23, 0, 8, 1, 9, 2, 10, 3, 11);
      const to = codes + (at >> 2);
      v128.store_lane<u32>(to, all, 0);
      v128.store_lane<u32>(to + width, all, 1);
      v128.store_lane<u32>(to + ((<usize>width) << 1), all, 2);
      v128.store_lane<u32>(to + <usize>width * 3, all, 3);
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
    for (let part = 0; part < parts; part += 2) {
      let row = column;
      for (let lane: usize = 0; lane < 16; lane++) {
        const even = nearestOfSixteen(row, book, half);
        const odd = nearestOfSixteen(row + 16, book + 256, half + 64);
        store<u8>(codes + lane, <u8>(even | (odd << 4)));
        row += step;
      }
      codes += 16;
      book += 512;
      half += 128;
      column += 32;
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
    for (let part = 0; part < parts; part++) {
      // The address of a centroid is its code times sixteen.
      if (part & 1) {
        four = four >> 4;
      } else {
        four = load<u32>(own);
        own += 16;
      }
      const rowA = v128.load(a);
      const rowB = v128.load(a + step);
      const rowC = v128.load(a + (step << 1));
      const rowD = v128.load(a + step * 3);
      const sketchA = v128.load(book + <usize>((four << 4) & 0xf0));
      const sketchB = v128.load(book + <usize>((four >> 4) & 0xf0));
      const sketchC = v128.load(book + <usize>((four >> 12) & 0xf0));
      const sketchD = v128.load(book + <usize>((four >> 20) & 0xf0));
      a += 16;
      book += 256;
      const lowAB = i32x4.shuffle(rowA, rowB, 0, 4, 1, 5);
      const highAB = i32x4.shuffle(rowA, rowB, 2, 6, 3, 7);
      const lowCD = i32x4.shuffle(rowC, rowD, 0, 4, 1, 5);
      const highCD = i32x4.shuffle(rowC, rowD, 2, 6, 3, 7);
      const sketchLowAB = i32x4.shuffle(sketchA, sketchB, 0, 4, 1, 5);
      const sketchHighAB = i32x4.shuffle(sketchA, sketchB, 2, 6, 3, 7);
      const sketchLowCD = i32x4.shuffle(sketchC, sketchD, 0, 4, 1, 5);
      const sketchHighCD = i32x4.shuffle(sketchC, sketchD, 2, 6, 3, 7);

      let x = f64x2.promote_low_f32x4(lowAB);
      let s = f64x2.promote_low_f32x4(sketchLowAB);
      squaresAB = f64x2.add(squaresAB, f64x2.mul(x, x));
      productsAB = f64x2.add(productsAB, f64x2.mul(x, s));
      sketchSquaresAB = f64x2.add(sketchSquaresAB, f64x2.mul(s, s));
      x = f64x2.promote_low_f32x4(lowCD);
      s = f64x2.promote_low_f32x4(sketchLowCD);
      squaresCD = f64x2.add(squaresCD, f64x2.mul(x, x));
      productsCD = f64x2.add(productsCD, f64x2.mul(x, s));
      sketchSquaresCD = f64x2.add(sketchSquaresCD, f64x2.mul(s, s));

      x = upper(lowAB);
      s = upper(sketchLowAB);
      squaresAB = f64x2.add(squaresAB, f64x2.mul(x, x));
      productsAB = f64x2.add(productsAB, f64x2.mul(x, s));
      sketchSquaresAB = f64x2.add(sketchSquaresAB, f64x2.mul(s, s));
      x = upper(lowCD);
      s = upper(sketchLowCD);
      squaresCD = f64x2.add(squaresCD, f64x2.mul(x, x));
      productsCD = f64x2.add(productsCD, f64x2.mul(x, s));
      sketchSquaresCD = f64x2.add(sketchSquaresCD, f64x2.mul(s, s));

      x = f64x2.promote_low_f32x4(highAB);
      s = f64x2.promote_low_f32x4(sketchHighAB);
      squaresAB = f64x2.add(squaresAB, f64x2.mul(x, x));
      productsAB = f64x2.add(productsAB, f64x2.mul(x, s));
      sketchSquaresAB = f64x2.add(sketchSquaresAB, f64x2.mul(s, s));
      x = f64x2.promote_low_f32x4(highCD);
      s = f64x2.promote_low_f32x4(sketchHighCD);
      squaresCD = f64x2.add(squaresCD, f64x2.mul(x, x));
      productsCD = f64x2.add(productsCD, f64x2.mul(x, s));
      sketchSquaresCD = f64x2.add(sketchSquaresCD, f64x2.mul(s, s));

      x = upper(highAB);
      s = upper(sketchHighAB);
      squaresAB = f64x2.add(squaresAB, f64x2.mul(x, x));
      productsAB = f64x2.add(productsAB, f64x2.mul(x, s));
      sketchSquaresAB = f64x2.add(sketchSquaresAB, f64x2.mul(s, s));
      x = upper(highCD);
      s = upper(sketchHighCD);
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
