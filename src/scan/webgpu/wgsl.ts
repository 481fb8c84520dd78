// Keys and bins, which several shaders share, and the same functions on the host.

/**
 * A chunk as shaders see it: its stride in groups of eight documents, a query's keys in groups of four, and the shape
 * of a row.
 */
export const CHUNK = "struct Chunk { groups: u32, keyStride: u32, dims: u32, semanticDims: u32 }";

/**
 * Bins of the histogram that finds the k-th best score. More bins collect fewer extra documents and need more shared
 * memory.
 */
export const BINS = 2048;

/**
 * Low bits of a key that do not matter for its bin: with 15, the bins cover eight octaves below the highest possible
 * score, 256 bins each.
 */
export const BIN_SHIFT = 15;

/**
 * Scores are written as keys: unsigned numbers that sort like the scores. Key 0 is a document that may not be found. −0
 * has the same key as 0, since it is the same score.
 */
export const KEY_OF = /* wgsl */ `
fn keyOf(score: f32) -> u32 {
  let bits = bitcast<u32>(score);
  if ((bits & 0x7fffffffu) == 0u) { return 0x80000000u; }
  return select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
}`;

/** The bin of a key. Bin 0 has everything below the lowest octave, and is never counted. */
export const BIN_OF = /* wgsl */ `
fn binOf(key: u32, low: u32) -> u32 {
  return select(0u, min((key - low) >> ${BIN_SHIFT}u, ${BINS - 1}u), key > low);
}`;

const scratch = new DataView(new ArrayBuffer(4));

/** What `keyOf` computes in a shader, computed here. */
export function scoreToKey(score: number): number {
  scratch.setFloat32(0, score);
  const bits = scratch.getUint32(0);
  if ((bits & 0x7fff_ffff) === 0) return 0x8000_0000;
  return bits >>> 31 === 1 ? ~bits >>> 0 : (bits | 0x8000_0000) >>> 0;
}

/** The score of a key: the inverse of `scoreToKey`. */
export function keyToScore(key: number): number {
  scratch.setUint32(0, key >>> 31 === 1 ? key ^ 0x8000_0000 : ~key);
  return scratch.getFloat32(0);
}

/** The smallest float32 that is not less than x. */
export function float32Up(x: number): number {
  const near = Math.fround(x);
  if (near >= x || !Number.isFinite(near)) return near;
  scratch.setFloat32(0, near);
  const bits = scratch.getInt32(0);
  if (near === 0) return 2 ** -149;
  scratch.setInt32(0, near > 0 ? bits + 1 : bits - 1);
  return scratch.getFloat32(0);
}
