// The result buffer of a device → documents and scores. The buffer has pairs of (document, complement of the key).

/** Best first; equal scores go to the lower number. `isSorted`: the device sorted the pairs already. */
export function readResults(
  pairs: Uint32Array<ArrayBuffer>,
  isSorted: boolean,
): { docs: Uint32Array; scores: Float32Array } {
  const count = pairs.length / 2;
  // Read as one little-endian 64-bit number, a better pair is smaller: the complement of the key is the upper half.
  const sorted = isSorted ? pairs : new Uint32Array(new BigUint64Array(pairs.slice().buffer).sort().buffer);
  const docs = new Uint32Array(count);
  const scores = new Float32Array(count);
  const bits = new Uint32Array(scores.buffer);
  for (let i = 0; i < count; i++) {
    docs[i] = sorted[2 * i];
    const key = ~sorted[2 * i + 1];
    bits[i] = key < 0 ? key ^ 0x8000_0000 : ~key; // the same as keyToScore, without the call
  }
  return { docs, scores };
}
