// The lengths of texts → batches of texts of similar length. All texts of a batch are padded to the longest, so this keeps
// padding small.

/**
 * Batches of indices into `lengths`, longest text first. A batch has at most `texts` texts and `positions` (texts × longest).
 * With `sameLength`, all texts of a batch have the same length, and nothing is padded.
 */
export function batchesByLength(
  lengths: readonly number[],
  positions: number,
  texts: number,
  sameLength = false,
): number[][] {
  const order = lengths.map((_, i) => i).sort((a, b) => lengths[b] - lengths[a] || a - b);
  const batches: number[][] = [];
  let batch: number[] = [];
  for (const i of order) {
    const longest = batch.length > 0 ? lengths[batch[0]] : lengths[i];
    const isFull = batch.length >= texts || (batch.length + 1) * longest > positions;
    if (batch.length > 0 && (isFull || (sameLength && lengths[i] !== longest))) {
      batches.push(batch);
      batch = [];
    }
    batch.push(i);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
