// The sums of a window → the documents that can still matter, and the k-th largest sum. Windows are padded to a multiple
// of 16 documents.

/** sums[doc] = acc[doc] · unit; acc is cleared for the next query. */
export function weighSums(acc: usize, docs: i32, unit: f32, sums: usize): void {
  const units = f32x4.splat(unit);
  const zero = i32x4.splat(0);
  const end = acc + ((<usize>docs) << 2);
  while (acc < end) {
    v128.store(sums, f32x4.mul(f32x4.convert_i32x4_s(v128.load(acc)), units));
    v128.store(acc, zero);
    acc += 16;
    sums += 16;
  }
}

/** How many of `count` int32 sums are at least `least`: every `step`-th document's. */
export function countReaching(acc: usize, count: i32, step: i32, least: i32): i32 {
  const stride = (<usize>step) << 2;
  let reaching = 0;
  for (let i = 0; i < count; i++) {
    reaching += <i32>(load<i32>(acc) >= least);
    acc += stride;
  }
  return reaching;
}

/** values[doc] = values[doc] · factors[doc] + sums[doc]. */
export function scaleAndAdd(values: usize, docs: i32, factors: usize, sums: usize): void {
  const end = values + ((<usize>docs) << 2);
  while (values < end) {
    v128.store(values, f32x4.add(f32x4.mul(v128.load(values), v128.load(factors)), v128.load(sums)));
    values += 16;
    factors += 16;
    sums += 16;
  }
}

/** Excludes the documents whose bit is not set: their sum becomes −∞. */
export function excludeUnset(bits: usize, docs: i32, sums: usize): void {
  for (let doc = 0; doc < docs; doc += 32) {
    let excluded = ~load<u32>(bits + (<usize>doc >> 3));
    while (excluded !== 0) {
      const lane = doc + ctz(excluded);
      if (lane >= docs) break;
      store<f32>(sums + ((<usize>lane) << 2), -Infinity);
      excluded &= excluded - 1;
    }
  }
}

/**
 * Lists the documents whose sum plus tailWeight · tail reaches the threshold, and returns how many there are. From `most`
 * documents on they may be counted only, not listed. `tails` are short floats, or 0 if there are none.
 */
export function reaching(
  sums: usize,
  docs: i32,
  tails: usize,
  tailWeight: f32,
  threshold: f32,
  lanes: usize,
  most: i32,
): i32 {
  const thresholds = f32x4.splat(threshold);
  const weights = f32x4.splat(tailWeight);
  let count = 0;
  for (let doc = 0; doc < docs; doc += 16) {
    const at = (<usize>doc) << 2;
    let a = v128.load(sums + at);
    let b = v128.load(sums + at, 16);
    let c = v128.load(sums + at, 32);
    let d = v128.load(sums + at, 48);
    if (tails !== 0) {
      const low = v128.load(tails + (at >> 1));
      const high = v128.load(tails + (at >> 1), 16);
      a = f32x4.add(a, f32x4.mul(i32x4.shl(i32x4.extend_low_i16x8_u(low), 15), weights));
      b = f32x4.add(b, f32x4.mul(i32x4.shl(i32x4.extend_high_i16x8_u(low), 15), weights));
      c = f32x4.add(c, f32x4.mul(i32x4.shl(i32x4.extend_low_i16x8_u(high), 15), weights));
      d = f32x4.add(d, f32x4.mul(i32x4.shl(i32x4.extend_high_i16x8_u(high), 15), weights));
    }
    a = f32x4.ge(a, thresholds);
    b = f32x4.ge(b, thresholds);
    c = f32x4.ge(c, thresholds);
    d = f32x4.ge(d, thresholds);
    if (!v128.any_true(v128.or(v128.or(a, b), v128.or(c, d)))) continue;
    let matches =
      i32x4.bitmask(a) | (i32x4.bitmask(b) << 4) | (i32x4.bitmask(c) << 8) | (i32x4.bitmask(d) << 12);
    if (docs - doc < 16) matches &= (1 << (docs - doc)) - 1;
    const before = count;
    count += popcnt(matches);
    if (before >= most) continue;
    for (let to = lanes + ((<usize>before) << 2); matches !== 0; to += 4) {
      store<u32>(to, doc + ctz(matches));
      matches &= matches - 1;
    }
  }
  return count;
}

/** The largest k for which a heap is used; above it, counting in buckets is faster. */
const MOST_IN_HEAP: i32 = 128;
const BUCKETS: i32 = 2048;
/** How many sums are sampled to guess where counting should begin. */
const SAMPLE: i32 = 256;

/**
 * A sum that k documents reach: the k-th largest, or slightly less if k is large. −∞ if there are fewer documents.
 * `room` is scratch space for one number per document.
 */
export function kthLargest(sums: usize, docs: i32, k: i32, room: usize): f32 {
  if (docs < k || k < 1) return -Infinity;
  if (k > MOST_IN_HEAP && docs >= 2 * BUCKETS) {
    const counted = kthByCounting(sums, docs, k, room);
    if (counted > -Infinity) return counted;
  }
  return kthByHeap(sums, docs, k, room);
}

/** Counts sums in buckets, from a guess of the 2k-th largest sum up; −∞ if fewer than k reach it. */
function kthByCounting(sums: usize, docs: i32, k: i32, room: usize): f32 {
  const step = docs / SAMPLE;
  for (let i = 0; i < SAMPLE; i++) {
    store<f32>(room + ((<usize>i) << 2), load<f32>(sums + ((<usize>(i * step)) << 2)));
  }
  const rank = <i32>min<i64>(SAMPLE, (<i64>(2 * k) * SAMPLE) / docs + 4);
  const least = kthByHeap(room, SAMPLE, rank, room + ((<usize>SAMPLE) << 2));
  let four = f32x4.splat(least);
  for (let doc = 0; doc < docs; doc += 4) four = f32x4.pmax(four, v128.load(sums + ((<usize>doc) << 2)));
  const most = max(
    max(f32x4.extract_lane(four, 0), f32x4.extract_lane(four, 1)),
    max(f32x4.extract_lane(four, 2), f32x4.extract_lane(four, 3)),
  );
  // All sums are equal, or the guess is −∞: buckets have no width.
  if (!(least > -Infinity && most > least)) return -Infinity;

  const scale = <f32>(BUCKETS - 1) / (most - least);
  const smallest = room + ((<usize>BUCKETS) << 2);
  for (let i: usize = 0; i < (<usize>BUCKETS) << 2; i += 4) {
    store<u32>(room + i, 0);
    store<f32>(smallest + i, Infinity);
  }
  const leasts = f32x4.splat(least);
  for (let doc = 0; doc < docs; doc += 4) {
    let matches = i32x4.bitmask(f32x4.ge(v128.load(sums + ((<usize>doc) << 2)), leasts));
    while (matches !== 0) {
      const lane = doc + ctz(matches);
      if (lane >= docs) break;
      const sum = load<f32>(sums + ((<usize>lane) << 2));
      const bucket = (<usize>min(BUCKETS - 1, <i32>((sum - least) * scale))) << 2;
      store<u32>(room + bucket, load<u32>(room + bucket) + 1);
      store<f32>(smallest + bucket, min(load<f32>(smallest + bucket), sum));
      matches &= matches - 1;
    }
  }
  let reached: u32 = 0;
  for (let bucket = BUCKETS - 1; bucket >= 0; bucket--) {
    reached += load<u32>(room + ((<usize>bucket) << 2));
    if (reached >= <u32>k) return load<f32>(smallest + ((<usize>bucket) << 2));
  }
  return -Infinity;
}

function kthByHeap(sums: usize, docs: i32, k: i32, heap: usize): f32 {
  let size = 0;
  let doc = 0;
  for (; size < k; doc++) {
    rise(heap, size++, load<f32>(sums + ((<usize>doc) << 2)));
  }
  let smallest = f32x4.splat(load<f32>(heap));
  for (; (doc & 3) !== 0 && doc < docs; doc++) {
    const sum = load<f32>(sums + ((<usize>doc) << 2));
    if (sum > load<f32>(heap)) sink(heap, k, sum);
  }
  smallest = f32x4.splat(load<f32>(heap));
  for (; doc < docs; doc += 4) {
    const four = v128.load(sums + ((<usize>doc) << 2));
    let matches = i32x4.bitmask(f32x4.gt(four, smallest));
    if (matches === 0) continue;
    while (matches !== 0) {
      const lane = doc + ctz(matches);
      if (lane >= docs) break;
      const sum = load<f32>(sums + ((<usize>lane) << 2));
      if (sum > load<f32>(heap)) sink(heap, k, sum);
      matches &= matches - 1;
    }
    smallest = f32x4.splat(load<f32>(heap));
  }
  return load<f32>(heap);
}

function rise(heap: usize, at: i32, value: f32): void {
  let node = at;
  while (node > 0) {
    const parent = (node - 1) >> 1;
    const above = load<f32>(heap + ((<usize>parent) << 2));
    if (above <= value) break;
    store<f32>(heap + ((<usize>node) << 2), above);
    node = parent;
  }
  store<f32>(heap + ((<usize>node) << 2), value);
}

function sink(heap: usize, size: i32, value: f32): void {
  let node = 0;
  for (;;) {
    let child = 2 * node + 1;
    if (child >= size) break;
    let below = load<f32>(heap + ((<usize>child) << 2));
    if (child + 1 < size) {
      const other = load<f32>(heap + ((<usize>(child + 1)) << 2));
      if (other < below) {
        child++;
        below = other;
      }
    }
    if (below >= value) break;
    store<f32>(heap + ((<usize>node) << 2), below);
    node = child;
  }
  store<f32>(heap + ((<usize>node) << 2), value);
}
