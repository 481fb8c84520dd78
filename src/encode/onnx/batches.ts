// The lengths of texts → batches of texts of similar length. All texts of a batch are padded to the longest, so this keeps
// padding small.

/** How texts are put together. */
export interface BatchLimits {
  /** The most positions (texts × longest) of a batch. */
  readonly positions: number;
  /** The most positions of a batch for graphs without a mask, which compute in int8 and whose texts need no padding. */
  readonly unpaddedPositions: number;
  /** The most texts of a batch. */
  readonly texts: number;
  /** Texts that are tokenized and sorted together. A limit, so that memory does not grow with the collection. */
  readonly window: number;
  /** Texts are padded to a multiple of this. */
  readonly lengthStep: number;
}

/**
 * 2,048 positions are 8 texts of 256 tokens. The runtime blocks the event loop while a batch runs, for about 350 ms on two
 * cores, and nothing can stop it. Twice as many are not faster on a CPU; half as many take a tenth longer. Without padding, 512
 * positions are 4 texts of 128 tokens. All numbers of a layer then stay in the cache of a core; 2,048 positions take a tenth
 * longer.
 */
export const CPU_LIMITS: BatchLimits = {
  positions: 2048,
  unpaddedPositions: 512,
  texts: 64,
  window: 2048,
  lengthStep: 1,
};
/** A GPU needs more at once. Its kernels read four numbers at a time if the length is a multiple of 4. */
export const GPU_LIMITS: BatchLimits = {
  positions: 16_384,
  unpaddedPositions: 4096,
  texts: 512,
  window: 8192,
  lengthStep: 8,
};

/**
 * Batches of indices into `lengths`, longest text first. A batch has at most `texts` texts and `positions` (texts × longest).
 * With `needsSameLength`, all texts of a batch have the same length, and nothing is padded.
 */
export function batchesByLength(
  lengths: readonly number[],
  positions: number,
  texts: number,
  needsSameLength = false,
): number[][] {
  const order = lengths.map((_, i) => i).sort((a, b) => lengths[b] - lengths[a] || a - b);
  const batches: number[][] = [];
  let batch: number[] = [];
  for (const i of order) {
    const longest = batch.length > 0 ? lengths[batch[0]] : lengths[i];
    const isFull = batch.length >= texts || (batch.length + 1) * longest > positions;
    if (batch.length > 0 && (isFull || (needsSameLength && lengths[i] !== longest))) {
      batches.push(batch);
      batch = [];
    }
    batch.push(i);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
