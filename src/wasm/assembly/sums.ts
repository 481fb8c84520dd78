// From the sums of a window to the documents worth another look. Windows are padded to a multiple of 16 documents.

/** sums[doc] = acc[doc] · unit, and acc is cleared for the next query. */
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

/** Documents whose bit is not set can reach nothing any more: their sum becomes −∞. */
export function bar(bits: usize, docs: i32, sums: usize): void {
  for (let doc = 0; doc < docs; doc += 32) {
    let barred = ~load<u32>(bits + (<usize>doc >> 3));
    while (barred !== 0) {
      const place = doc + ctz(barred);
      if (place >= docs) break;
      store<f32>(sums + ((<usize>place) << 2), -Infinity);
      barred &= barred - 1;
    }
  }
}

/**
 * Lists the documents whose sum, with what their tail can add, reaches the floor, and says how many they are. The list
 * may end once it has `most`: beyond, they are only counted. `tails` is 0 for none.
 */
export function reaching(
  sums: usize,
  docs: i32,
  tails: usize,
  tailWeight: f32,
  floor: f32,
  places: usize,
  most: i32,
): i32 {
  const floors = f32x4.splat(floor);
  const weights = f32x4.splat(tailWeight);
  let count = 0;
  for (let doc = 0; doc < docs; doc += 16) {
    const at = (<usize>doc) << 2;
    let a = v128.load(sums + at);
    let b = v128.load(sums + at, 16);
    let c = v128.load(sums + at, 32);
    let d = v128.load(sums + at, 48);
    if (tails !== 0) {
      a = f32x4.add(a, f32x4.mul(v128.load(tails + at), weights));
      b = f32x4.add(b, f32x4.mul(v128.load(tails + at, 16), weights));
      c = f32x4.add(c, f32x4.mul(v128.load(tails + at, 32), weights));
      d = f32x4.add(d, f32x4.mul(v128.load(tails + at, 48), weights));
    }
    a = f32x4.ge(a, floors);
    b = f32x4.ge(b, floors);
    c = f32x4.ge(c, floors);
    d = f32x4.ge(d, floors);
    if (!v128.any_true(v128.or(v128.or(a, b), v128.or(c, d)))) continue;
    let lanes =
      i32x4.bitmask(a) | (i32x4.bitmask(b) << 4) | (i32x4.bitmask(c) << 8) | (i32x4.bitmask(d) << 12);
    if (docs - doc < 16) lanes &= (1 << (docs - doc)) - 1;
    const before = count;
    count += popcnt(lanes);
    if (before >= most) continue;
    for (let to = places + ((<usize>before) << 2); lanes !== 0; to += 4) {
      store<u32>(to, doc + ctz(lanes));
      lanes &= lanes - 1;
    }
  }
  return count;
}

/** Up to so many, a heap of the largest is quicker than counting. */
const MOST_IN_HEAP: i32 = 128;
const BUCKETS: i32 = 2048;
/** Sums that are looked at to guess where to begin counting. */
const SAMPLE: i32 = 256;

/**
 * A sum that k documents reach: the k-th largest, or, where k is large, one hardly less. −∞ when there are fewer
 * documents. `room` is for as many numbers as there are documents.
 */
export function kthLargest(sums: usize, docs: i32, k: i32, room: usize): f32 {
  if (docs < k || k < 1) return -Infinity;
  if (k > MOST_IN_HEAP && docs >= 2 * BUCKETS) {
    const counted = kthByCounting(sums, docs, k, room);
    if (counted > -Infinity) return counted;
  }
  return kthByHeap(sums, docs, k, room);
}

/** Counts sums in buckets, from about twice as far down as the k-th; −∞ when that was a bad guess. */
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
  // All equal, or no number to begin from: nothing to count by.
  if (!(least > -Infinity && most > least)) return -Infinity;

  const scale = <f32>(BUCKETS - 1) / (most - least);
  const smallest = room + ((<usize>BUCKETS) << 2);
  for (let i: usize = 0; i < (<usize>BUCKETS) << 2; i += 4) {
    store<u32>(room + i, 0);
    store<f32>(smallest + i, Infinity);
  }
  const leasts = f32x4.splat(least);
  for (let doc = 0; doc < docs; doc += 4) {
    let lanes = i32x4.bitmask(f32x4.ge(v128.load(sums + ((<usize>doc) << 2)), leasts));
    while (lanes !== 0) {
      const place = doc + ctz(lanes);
      if (place >= docs) break;
      const sum = load<f32>(sums + ((<usize>place) << 2));
      const bucket = (<usize>min(BUCKETS - 1, <i32>((sum - least) * scale))) << 2;
      store<u32>(room + bucket, load<u32>(room + bucket) + 1);
      store<f32>(smallest + bucket, min(load<f32>(smallest + bucket), sum));
      lanes &= lanes - 1;
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
    let lanes = i32x4.bitmask(f32x4.gt(four, smallest));
    if (lanes === 0) continue;
    while (lanes !== 0) {
      const place = doc + ctz(lanes);
      if (place >= docs) break;
      const sum = load<f32>(sums + ((<usize>place) << 2));
      if (sum > load<f32>(heap)) sink(heap, k, sum);
      lanes &= lanes - 1;
    }
    smallest = f32x4.splat(load<f32>(heap));
  }
  return load<f32>(heap);
}

function rise(heap: usize, at: i32, value: f32): void {
  let place = at;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    const above = load<f32>(heap + ((<usize>parent) << 2));
    if (above <= value) break;
    store<f32>(heap + ((<usize>place) << 2), above);
    place = parent;
  }
  store<f32>(heap + ((<usize>place) << 2), value);
}

function sink(heap: usize, size: i32, value: f32): void {
  let place = 0;
  for (;;) {
    let child = 2 * place + 1;
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
    store<f32>(heap + ((<usize>place) << 2), below);
    place = child;
  }
  store<f32>(heap + ((<usize>place) << 2), value);
}
