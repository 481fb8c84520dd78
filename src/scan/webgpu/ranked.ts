// What a device hands over: pairs of (document, complement of the key) → documents and scores.

/** `isSorted`: best first already. Otherwise they are put in order here, equal scores by lower number. */
export function ranked(
  pairs: Uint32Array<ArrayBuffer>,
  isSorted: boolean,
): { docs: Uint32Array; scores: Float32Array } {
  const count = pairs.length / 2;
  // As one number a pair is smaller for the better: little-endian, the key is the upper half.
  const sorted = isSorted ? pairs : new Uint32Array(new BigUint64Array(pairs.slice().buffer).sort().buffer);
  const docs = new Uint32Array(count);
  const scores = new Float32Array(count);
  const bits = new Uint32Array(scores.buffer);
  for (let i = 0; i < count; i++) {
    docs[i] = sorted[2 * i];
    const key = ~sorted[2 * i + 1];
    bits[i] = key < 0 ? key ^ 0x8000_0000 : ~key; // as scoreOf, without a call
  }
  return { docs, scores };
}
