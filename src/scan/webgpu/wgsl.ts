// Pieces that several shaders share.

/** What every shader is told of a chunk: documents in eights, keys of a query in fours, and what a row has. */
export const CHUNK = "struct Chunk { groups: u32, keyStride: u32, dims: u32, semanticDims: u32 }";

/** Bins of the histogram that finds the k-th best score. */
export const BINS = 2048;

/** Bits of a key that fall into one bin: eight octaves below the highest possible score, 256 bins each. */
export const BIN_SHIFT = 15;

/**
 * Scores are written as keys: unsigned numbers in the same order, 0 for a document that may not be found. −0 counts as
 * 0, since it is the same score.
 */
export const KEY_OF = /* wgsl */ `
fn keyOf(score: f32) -> u32 {
  let bits = bitcast<u32>(score);
  if ((bits & 0x7fffffffu) == 0u) { return 0x80000000u; }
  return select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
}`;

/** The bin of a key: bin 0 takes everything below the lowest octave, and is never counted. */
export const BIN_OF = /* wgsl */ `
fn binOf(key: u32, low: u32) -> u32 {
  return select(0u, min((key - low) >> ${BIN_SHIFT}u, ${BINS - 1}u), key > low);
}`;

const scratch = new DataView(new ArrayBuffer(4));

/** The same as keyOf, on the host. */
export function keyOf(score: number): number {
  scratch.setFloat32(0, score);
  const bits = scratch.getUint32(0);
  if ((bits & 0x7fff_ffff) === 0) return 0x8000_0000;
  return bits >>> 31 === 1 ? ~bits >>> 0 : (bits | 0x8000_0000) >>> 0;
}

export function scoreOf(key: number): number {
  scratch.setUint32(0, key >>> 31 === 1 ? key ^ 0x8000_0000 : ~key);
  return scratch.getFloat32(0);
}

/** The lowest float32 that is not below x. */
export function float32Up(x: number): number {
  const near = Math.fround(x);
  if (near >= x || !Number.isFinite(near)) return near;
  scratch.setFloat32(0, near);
  const bits = scratch.getInt32(0);
  if (near === 0) return 2 ** -149;
  scratch.setInt32(0, near > 0 ? bits + 1 : bits - 1);
  return scratch.getFloat32(0);
}
