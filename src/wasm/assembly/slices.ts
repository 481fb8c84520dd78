// A query's slots and slice-major columns → sums by document. A column has the values of all documents of a window for one
// slice, then their indices. Sixteen documents are compared with the query's index at once, and two slices are taken
// together, so that one instruction multiplies and adds both.

/** Documents in a tile: few enough that their sums stay in the L1 cache for all slices, many enough that reads stream. */
const TILE: i32 = 8192;

/** A slot of the query: values:u32 indices:u32 (addresses of the columns) index:u32 weight:i32 (at most 32,767). */
const SLOT_BYTES: usize = 16;

/**
 * acc[doc] += Σ weight · value over the slots whose index the document shares. `count` is even, `docs` a multiple of
 * 16.
 */
export function gatedSlices(slots: usize, count: i32, docs: i32, acc: usize): void {
  for (let tile = 0; tile < docs; tile += TILE) {
    const end = min(tile + TILE, docs);
    for (let s = 0; s < count; s += 2) {
      const a = slots + <usize>s * SLOT_BYTES;
      const b = a + SLOT_BYTES;
      const aValues = <usize>load<u32>(a);
      const aIndices = <usize>load<u32>(a, 4);
      const aIndex = i8x16.splat(<i8>load<u32>(a, 8));
      const bValues = <usize>load<u32>(b);
      const bIndices = <usize>load<u32>(b, 4);
      const bIndex = i8x16.splat(<i8>load<u32>(b, 8));
      const weights = i32x4.splat((load<i32>(a, 12) & 0xffff) | (load<i32>(b, 12) << 16));
      for (let doc = <usize>tile; doc < <usize>end; doc += 16) {
        const x = v128.and(v128.load(aValues + doc), i8x16.eq(v128.load(aIndices + doc), aIndex));
        const y = v128.and(v128.load(bValues + doc), i8x16.eq(v128.load(bIndices + doc), bIndex));
        addPairs(x, y, weights, acc + (doc << 2));
      }
    }
  }
}

/** Adds the inner product: slots of the same slice are multiplied, whatever their indices are. */
export function openSlices(slots: usize, count: i32, docs: i32, acc: usize): void {
  for (let tile = 0; tile < docs; tile += TILE) {
    const end = min(tile + TILE, docs);
    for (let s = 0; s < count; s += 2) {
      const a = slots + <usize>s * SLOT_BYTES;
      const b = a + SLOT_BYTES;
      const aValues = <usize>load<u32>(a);
      const bValues = <usize>load<u32>(b);
      const weights = i32x4.splat((load<i32>(a, 12) & 0xffff) | (load<i32>(b, 12) << 16));
      for (let doc = <usize>tile; doc < <usize>end; doc += 16) {
        addPairs(v128.load(aValues + doc), v128.load(bValues + doc), weights, acc + (doc << 2));
      }
    }
  }
}

/**
 * `gatedSlices` for listed documents only: sums[lane] += unit · Σ weight · value. A document's slots lie far apart in
 * memory, so all their loads are issued before the first result is needed.
 */
export function gatherSlices(
  slots: usize,
  count: i32,
  unit: f32,
  lanes: usize,
  listed: i32,
  sums: usize,
): void {
  const end = slots + <usize>count * SLOT_BYTES;
  for (let i = 0; i < listed; i++) {
    const lane = <usize>load<u32>(lanes + ((<usize>i) << 2));
    let sum = 0;
    for (let slot = slots; slot < end; slot += SLOT_BYTES) {
      const value = <i32>load<u8>(<usize>load<u32>(slot) + lane);
      const index = <u32>load<u8>(<usize>load<u32>(slot, 4) + lane);
      sum += index === load<u32>(slot, 8) ? value * load<i32>(slot, 12) : 0;
    }
    const at = sums + (lane << 2);
    store<f32>(at, load<f32>(at) + unit * <f32>sum);
  }
}

/** acc[0…15] += x · the first slice's weight + y · the second slice's weight. */
function addPairs(x: v128, y: v128, weights: v128, acc: usize): void {
  const low = i8x16.shuffle(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const high = i8x16.shuffle(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  v128.store(acc, i32x4.add(v128.load(acc), i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(low), weights)));
  v128.store(
    acc,
    i32x4.add(v128.load(acc, 16), i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(low), weights)),
    16,
  );
  v128.store(
    acc,
    i32x4.add(v128.load(acc, 32), i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(high), weights)),
    32,
  );
  v128.store(
    acc,
    i32x4.add(v128.load(acc, 48), i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(high), weights)),
    48,
  );
}
