// Numbers ↔ IEEE binary16 (float16), the type of every stored value. Node 20 has no Float16Array, so float16 values are
// kept in a Uint16Array and read through a table of all 65,536 numbers.

/** The number each float16 bit pattern stands for. */
export const FLOAT16 = decodeAll();

/** Numbers in float16 as float32. */
export function toFloat32s(halves: ArrayLike<number>): Float32Array {
  const floats = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) floats[i] = FLOAT16[halves[i]];
  return floats;
}

/** The largest finite float16; from 65,520 on a number rounds to infinity. */
export const FLOAT16_MAX = 65_504;

const doubles = new Float64Array(1);
const words = new Uint32Array(doubles.buffer);

/** The float16 nearest to x, ties to even, rounded once from the full double. */
export function toFloat16(x: number): number {
  doubles[0] = x;
  const high = words[1];
  const sign = (high >>> 16) & 0x8000;
  const exponent = (high >>> 20) & 0x7ff;
  if (exponent >= 1009 && exponent <= 1038) {
    // Normal in float16 too: keep ten bits of the fraction and round by the rest. Adding 1 carries into the exponent.
    const half = ((exponent - 1008) << 10) | ((high >>> 10) & 0x3ff);
    const cut = high & 0x3ff;
    const roundsUp = cut > 0x200 || (cut === 0x200 && (words[0] !== 0 || (half & 1) === 1));
    return sign | (roundsUp ? half + 1 : half);
  }
  const size = Math.abs(x);
  if (Number.isNaN(size)) return 0x7e00;
  return sign | (size >= 65_520 ? 0x7c00 : roundHalfEven(size * 2 ** 24)); // subnormal: steps of 2⁻²⁴
}

/** Converts many numbers. Reading the bits of float32 directly makes it nearly twice as fast as `toFloat16`. */
export function toFloat16s(numbers: Float32Array, into: Uint16Array, at: number): void {
  const bits = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  for (let i = 0; i < bits.length; i++) {
    const x = bits[i];
    const exponent = (x >>> 23) & 0xff;
    if (exponent < 113 || exponent > 142) {
      into[at + i] = toFloat16(numbers[i]);
      continue;
    }
    // What is added carries if the cut bits are above the half, or equal to it and the last kept bit is 1. No branch: half of
    // them would be mispredicted.
    const rounded = (x & 0x7fffffff) - (112 << 23) + 0xfff + ((x >>> 13) & 1);
    into[at + i] = ((x >>> 16) & 0x8000) | (rounded >>> 13);
  }
}

/** x as it reads back after it was stored in float16. */
export function roundToFloat16(x: number): number {
  return FLOAT16[toFloat16(x)];
}

/** Rounds by adding 2⁵²: a double of that size has no fraction bits, so the processor rounds. */
function roundHalfEven(x: number): number {
  return x + 2 ** 52 - 2 ** 52;
}

function decodeAll(): Float32Array {
  const table = new Float32Array(65_536);
  for (let bits = 0; bits < 65_536; bits++) {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >>> 10) & 31;
    const fraction = bits & 1023;
    if (exponent === 31) table[bits] = fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
    else if (exponent === 0) table[bits] = sign * fraction * 2 ** -24;
    else table[bits] = sign * (1024 + fraction) * 2 ** (exponent - 25);
  }
  return table;
}
