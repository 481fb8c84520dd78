// Numbers that are not negative ↔ 16 bits, rounded up: the exponent of a float32 and the first eight bits of its fraction. They
// have the range of float32, so that no bound overflows, and a kernel decodes them by a shift.

const FLOATS = new Float32Array(1);
const BITS = new Uint32Array(FLOATS.buffer);

/** How many bits of a float32 are left out, and the mask of these bits. */
const DROPPED = 15;
const DROPPED_BITS = 0x7fff;

/** The bits of the first short float that is not below a float32. */
export function toShortFloat(float32: number): number {
  FLOATS[0] = float32;
  return (BITS[0] + DROPPED_BITS) >>> DROPPED;
}

export function fromShortFloat(bits: number): number {
  BITS[0] = bits << DROPPED;
  return FLOATS[0];
}
