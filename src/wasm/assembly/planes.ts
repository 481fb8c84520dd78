// A query's vector and one plane of documents' vectors → upper bounds on the semantic part of their scores. A plane is a
// group of dimensions of the rotated vectors, int8 with a scale for each document and plane, a short float. The query is int16,
// so that only the documents' rounding matters.
//
// A plane adds scale · (unit · dot + bias) to a document's sum. The bias covers the rounding, so this is never less than
// the exact product. The planes not yet read add at most tailWeight · tail, the product of the two lengths.

/** sums[doc] += scale · (unit · dot + bias) for every document of a window; rows are padded to a multiple of four. */
export function planeScan(
  codes: usize,
  scales: usize,
  width: i32,
  docs: i32,
  query: usize,
  unit: f32,
  bias: f32,
  sums: usize,
): void {
  const stride = <usize>width;
  // One row from each quarter of the window at a time: a single stream of reads leaves memory bandwidth half unused.
  const quarter = <usize>docs >> 2;
  const step = quarter * stride;
  const next = quarter << 2;
  const units = f32x4.splat(unit);
  const biases = f32x4.splat(bias);
  for (let end = codes + step; codes < end; ) {
    let a = i32x4.splat(0);
    let b = i32x4.splat(0);
    let c = i32x4.splat(0);
    let d = i32x4.splat(0);
    for (let i: usize = 0; i < stride; i += 16) {
      const low = v128.load(query + (i << 1));
      const high = v128.load(query + (i << 1), 16);
      const row = codes + i;
      a = i32x4.add(a, dot16(v128.load(row), low, high));
      b = i32x4.add(b, dot16(v128.load(row + step), low, high));
      c = i32x4.add(c, dot16(v128.load(row + (step << 1)), low, high));
      d = i32x4.add(d, dot16(v128.load(row + step * 3), low, high));
    }
    codes += stride;
    const dots = f32x4.convert_i32x4_s(sumsOfFour(a, b, c, d));
    const parts = f32x4.add(f32x4.mul(dots, units), biases);
    addTo(sums, scales, f32x4.extract_lane(parts, 0));
    addTo(sums + next, scales + (quarter << 1), f32x4.extract_lane(parts, 1));
    addTo(sums + (next << 1), scales + next, f32x4.extract_lane(parts, 2));
    addTo(sums + next * 3, scales + quarter * 6, f32x4.extract_lane(parts, 3));
    scales += 2;
    sums += 4;
  }
}

function addTo(sum: usize, scale: usize, part: f32): void {
  store<f32>(sum, load<f32>(sum) + loadShort(scale) * part);
}

/** A short float: the upper bits of a float32 that is not negative, without its sign (support/numbers/short-float.ts). */
function loadShort(at: usize): f32 {
  return reinterpret<f32>((<u32>load<u16>(at)) << 15);
}

/**
 * Adds a plane to the sums of listed documents. Those whose sum plus the bound on their tail stays below the threshold leave
 * the list. Returns how many are left. `tails` is 0 for the last plane.
 */
export function planeRefine(
  codes: usize,
  scales: usize,
  width: i32,
  query: usize,
  unit: f32,
  bias: f32,
  tails: usize,
  tailWeight: f32,
  lanes: usize,
  listed: i32,
  sums: usize,
  threshold: f32,
): i32 {
  const stride = <usize>width;
  let kept = 0;
  for (let i = 0; i < listed; i += 4) {
    // Four rows at a time share the query's loads. Past the end of the list, its last document is repeated.
    const a = laneAt(lanes, i, listed);
    const b = laneAt(lanes, i + 1, listed);
    const c = laneAt(lanes, i + 2, listed);
    const d = laneAt(lanes, i + 3, listed);
    const rowA = codes + a * stride;
    const rowB = codes + b * stride;
    const rowC = codes + c * stride;
    const rowD = codes + d * stride;
    let sumA = i32x4.splat(0);
    let sumB = i32x4.splat(0);
    let sumC = i32x4.splat(0);
    let sumD = i32x4.splat(0);
    for (let at: usize = 0; at < stride; at += 16) {
      const low = v128.load(query + (at << 1));
      const high = v128.load(query + (at << 1), 16);
      sumA = i32x4.add(sumA, dot16(v128.load(rowA + at), low, high));
      sumB = i32x4.add(sumB, dot16(v128.load(rowB + at), low, high));
      sumC = i32x4.add(sumC, dot16(v128.load(rowC + at), low, high));
      sumD = i32x4.add(sumD, dot16(v128.load(rowD + at), low, high));
    }
    const dots = f32x4.convert_i32x4_s(sumsOfFour(sumA, sumB, sumC, sumD));
    const parts = f32x4.add(f32x4.mul(dots, f32x4.splat(unit)), f32x4.splat(bias));
    kept = add(a, f32x4.extract_lane(parts, 0), scales, sums, tails, tailWeight, threshold, lanes, kept);
    if (i + 1 < listed) {
      kept = add(b, f32x4.extract_lane(parts, 1), scales, sums, tails, tailWeight, threshold, lanes, kept);
    }
    if (i + 2 < listed) {
      kept = add(c, f32x4.extract_lane(parts, 2), scales, sums, tails, tailWeight, threshold, lanes, kept);
    }
    if (i + 3 < listed) {
      kept = add(d, f32x4.extract_lane(parts, 3), scales, sums, tails, tailWeight, threshold, lanes, kept);
    }
  }
  return kept;
}

function laneAt(lanes: usize, i: i32, listed: i32): usize {
  return <usize>load<u32>(lanes + ((<usize>min(i, listed - 1)) << 2));
}

/** Adds a plane's part to a document's sum, and keeps the document in the list if it can still reach the threshold. */
function add(
  lane: usize,
  part: f32,
  scales: usize,
  sums: usize,
  tails: usize,
  tailWeight: f32,
  threshold: f32,
  lanes: usize,
  kept: i32,
): i32 {
  const at = lane << 2;
  const sum = load<f32>(sums + at) + loadShort(scales + (lane << 1)) * part;
  store<f32>(sums + at, sum);
  const most = tails === 0 ? sum : sum + tailWeight * loadShort(tails + (lane << 1));
  if (most < threshold) return kept;
  store<u32>(lanes + ((<usize>kept) << 2), <u32>lane);
  return kept + 1;
}

function dot16(codes: v128, low: v128, high: v128): v128 {
  return i32x4.add(
    i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(codes), low),
    i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(codes), high),
  );
}

/** [Σa, Σb, Σc, Σd]. */
function sumsOfFour(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(i32x4.shuffle(a, b, 0, 2, 4, 6), i32x4.shuffle(a, b, 1, 3, 5, 7));
  const cd = i32x4.add(i32x4.shuffle(c, d, 0, 2, 4, 6), i32x4.shuffle(c, d, 1, 3, 5, 7));
  return i32x4.add(i32x4.shuffle(ab, cd, 0, 2, 4, 6), i32x4.shuffle(ab, cd, 1, 3, 5, 7));
}
