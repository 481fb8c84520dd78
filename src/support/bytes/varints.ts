// Numbers that are mostly small ↔ bytes. Each byte has seven bits of the number, the lowest first; its eighth bit says that
// more follow. Every commit rewrites the statistics. Most terms occur in few documents, so this makes them a quarter as
// long.

/** The most bytes a 32-bit number takes. */
const MOST_BYTES = 5;

export function packVarints(numbers: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(MOST_BYTES * numbers.length);
  let at = 0;
  for (let number of numbers) {
    for (; number > 0x7f; number >>>= 7) bytes[at++] = (number & 0x7f) | 0x80;
    bytes[at++] = number;
  }
  return bytes.subarray(0, at);
}

/** Fills an array with numbers. If the bytes hold fewer, the rest stays as it is. */
export function unpackVarints(bytes: Uint8Array, into: Uint32Array): void {
  let at = 0;
  for (let i = 0; i < into.length && at < bytes.length; i++) {
    let [number, shift] = [0, 0];
    for (; bytes[at] > 0x7f; shift += 7) number |= (bytes[at++] & 0x7f) << shift;
    into[i] = number | (bytes[at++] << shift);
  }
}
