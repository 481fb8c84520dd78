// Posting lists → sums by document. A posting is a document's lane (u16) and a code (u8) for its value; a table of 256
// entries holds what each code adds. Sums over whole lists are int32, so the order of additions does not matter.

/** Codes of postings: one byte each. */
const CODES: i32 = 256;

/** table[code] = ⌈min(most, weight · values[code]) / unit⌉, int32: what each code adds to a sum. */
export function weighCodes(values: usize, weight: f64, most: f64, unit: f64, table: usize): void {
  const units = f64x2.splat(unit);
  for (let code = 0; code < CODES; code += 4) {
    const low = f64x2.ceil(f64x2.div(worthOf(values, weight, most), units));
    const high = f64x2.ceil(f64x2.div(worthOf(values + 16, weight, most), units));
    const a = i32x4.trunc_sat_f64x2_s_zero(low);
    const b = i32x4.trunc_sat_f64x2_s_zero(high);
    v128.store(table, i32x4.shuffle(a, b, 0, 1, 4, 5));
    values += 32;
    table += 16;
  }
}

/** table[code] = min(most, weight · values[code]) · factor, float32. */
export function weighCodesAsFloats(values: usize, weight: f64, most: f64, factor: f64, table: usize): void {
  const factors = f64x2.splat(factor);
  for (let code = 0; code < CODES; code += 2) {
    const two = f32x4.demote_f64x2_zero(f64x2.mul(worthOf(values, weight, most), factors));
    store<f64>(table, f64x2.extract_lane(two, 0));
    values += 16;
    table += 8;
  }
}

/** What two values add to a score, at most `most`. */
function worthOf(values: usize, weight: f64, most: f64): v128 {
  return f64x2.min(f64x2.mul(v128.load(values), f64x2.splat(weight)), f64x2.splat(most));
}

/** acc[docs[i]] += table[codes[i]], int32, for every posting of a list. */
export function scatter(docs: usize, codes: usize, count: i32, table: usize, acc: usize): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const lanes = load<u64>(docs);
    const four = load<u32>(codes);
    const a = acc + ((<usize>(lanes & 0xffff)) << 2);
    const b = acc + ((<usize>((lanes >> 16) & 0xffff)) << 2);
    const c = acc + ((<usize>((lanes >> 32) & 0xffff)) << 2);
    const d = acc + ((<usize>(lanes >> 48)) << 2);
    // A list names a document at most once, so these are four different sums.
    store<i32>(a, load<i32>(a) + load<i32>(table + ((<usize>(four & 0xff)) << 2)));
    store<i32>(b, load<i32>(b) + load<i32>(table + ((<usize>((four >> 8) & 0xff)) << 2)));
    store<i32>(c, load<i32>(c) + load<i32>(table + ((<usize>((four >> 16) & 0xff)) << 2)));
    store<i32>(d, load<i32>(d) + load<i32>(table + ((<usize>(four >> 24)) << 2)));
    docs += 8;
    codes += 4;
  }
  for (; i < count; i++) {
    const a = acc + ((<usize>load<u16>(docs)) << 2);
    store<i32>(a, load<i32>(a) + load<i32>(table + ((<usize>load<u8>(codes)) << 2)));
    docs += 2;
    codes += 1;
  }
}

/**
 * Adds a posting list to the sums of listed documents: sums[lane] += table[code], float32, if the list holds the lane.
 * Postings and lanes ascend.
 */
export function lookUp(
  docs: usize,
  codes: usize,
  count: i32,
  table: usize,
  lanes: usize,
  listed: i32,
  sums: usize,
): void {
  let at = 0;
  for (let i = 0; i < listed; i++) {
    const lane = load<u32>(lanes + ((<usize>i) << 2));
    at = seek(docs, count, lane, at);
    if (at >= count) return;
    if (<u32>load<u16>(docs + ((<usize>at) << 1)) === lane) {
      const sum = sums + ((<usize>lane) << 2);
      store<f32>(sum, load<f32>(sum) + load<f32>(table + ((<usize>load<u8>(codes + at)) << 2)));
    }
  }
}

/** found[i] = the position of lanes[i] in the posting list, or −1. Postings and lanes ascend. */
export function find(docs: usize, count: i32, lanes: usize, listed: i32, found: usize): void {
  let at = 0;
  for (let i = 0; i < listed; i++) {
    const lane = load<u32>(lanes + ((<usize>i) << 2));
    at = seek(docs, count, lane, at);
    const holds = at < count && <u32>load<u16>(docs + ((<usize>at) << 1)) === lane;
    store<i32>(found + ((<usize>i) << 2), holds ? at : -1);
  }
}

/**
 * sums[i] += weight · values[code], float64, for each lanes[i] that the posting list holds. If the value of a code is negative,
 * the code alone does not say it: i and the posting's position are noted instead. Returns how many were noted. Postings and lanes
 * ascend.
 */
export function addExact(
  docs: usize,
  codes: usize,
  count: i32,
  weight: f64,
  values: usize,
  lanes: usize,
  listed: i32,
  sums: usize,
  notes: usize,
): i32 {
  const first = notes;
  let at = 0;
  for (let i = 0; i < listed; i++) {
    const lane = load<u32>(lanes + ((<usize>i) << 2));
    at = seek(docs, count, lane, at);
    if (at >= count) break;
    if (<u32>load<u16>(docs + ((<usize>at) << 1)) !== lane) continue;
    notes = addOrNote(codes, at, weight, values, i, sums, notes);
  }
  return <i32>((notes - first) >> 3);
}

/** marks[lanes[i]] = i + 1, or 0 to remove the marks again. */
export function mark(lanes: usize, listed: i32, marks: usize, isSet: i32): void {
  for (let i = 0; i < listed; i++) {
    const lane = load<u32>(lanes + ((<usize>i) << 2));
    store<i32>(marks + ((<usize>lane) << 2), isSet ? i + 1 : 0);
  }
}

/** `addExact` for many documents: marks[lane] is i + 1, or 0 if the document is not listed. Reads the whole list. */
export function addExactMarked(
  docs: usize,
  codes: usize,
  count: i32,
  weight: f64,
  values: usize,
  marks: usize,
  sums: usize,
  notes: usize,
): i32 {
  const first = notes;
  for (let at = 0; at < count; at++) {
    const mark = load<i32>(marks + ((<usize>load<u16>(docs + ((<usize>at) << 1))) << 2));
    if (mark !== 0) notes = addOrNote(codes, at, weight, values, mark - 1, sums, notes);
  }
  return <i32>((notes - first) >> 3);
}

/** Returns where the next note goes. */
function addOrNote(
  codes: usize,
  at: i32,
  weight: f64,
  values: usize,
  i: i32,
  sums: usize,
  notes: usize,
): usize {
  const value = load<f64>(values + ((<usize>load<u8>(codes + at)) << 3));
  if (value < 0) {
    store<i32>(notes, i);
    store<i32>(notes, at, 4);
    return notes + 8;
  }
  const sum = sums + ((<usize>i) << 3);
  store<f64>(sum, load<f64>(sum) + weight * value);
  return notes;
}

/** The first posting from `low` on whose lane is at least `lane`: a galloping search, then a binary one. */
function seek(docs: usize, count: i32, lane: u32, low: i32): i32 {
  let step = 1;
  let high = low;
  while (high < count && <u32>load<u16>(docs + ((<usize>high) << 1)) < lane) {
    low = high + 1;
    high += step;
    step <<= 1;
  }
  if (high > count) high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (<u32>load<u16>(docs + ((<usize>middle) << 1)) < lane) low = middle + 1;
    else high = middle;
  }
  return low;
}
