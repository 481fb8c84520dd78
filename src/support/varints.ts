// Numbers that are mostly small ↔ bytes: seven bits each, the lowest first, the eighth saying that more follow. Most words
// occur in few documents, so statistics, which every commit writes anew, become a quarter as long.

/** Of a number of 32 bits. */
const MOST_BYTES = 5;

export function varintsOf(numbers: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(MOST_BYTES * numbers.length);
  let at = 0;
  for (let number of numbers) {
    for (; number > 0x7f; number >>>= 7) bytes[at++] = (number & 0x7f) | 0x80;
    bytes[at++] = number;
  }
  return bytes.subarray(0, at);
}

/** As many as the array has room for; the rest stays 0 where there are fewer. */
export function readVarints(bytes: Uint8Array, into: Uint32Array): void {
  let at = 0;
  for (let i = 0; i < into.length && at < bytes.length; i++) {
    let [number, shift] = [0, 0];
    for (; bytes[at] > 0x7f; shift += 7) number |= (bytes[at++] & 0x7f) << shift;
    into[i] = number | (bytes[at++] << shift);
  }
}
