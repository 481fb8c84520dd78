// Splits texts into chunks of similar length that are small enough to be computed at once.

import { batchesByLength } from "../../../encode/onnx/batches.ts";
import type { TokenRows } from "../data/batch.ts";
import type { EncoderShape } from "../model/settings.ts";

/** Some texts, padded to a common width. */
export interface Chunk {
  /** The numbers of the texts. */
  readonly numbers: readonly number[];
  readonly width: number;
  /** rows × width */
  readonly ids: Int32Array;
  /** 1 for a real token, 0 for padding. */
  readonly mask: Float32Array;
}

/** Widths are rounded up to a multiple of this. Kernels are faster at such widths, and memory is allocated in few sizes. */
const STEP = 8;

/** Longest texts first. A chunk has at most `positions` (rows × width), unless a single text is longer. */
export function chunksOf(texts: TokenRows, positions: number, { positions: most }: EncoderShape): Chunk[] {
  const padded = Array.from(texts.lengths, (length) => Math.min(most, Math.ceil(length / STEP) * STEP));
  return batchesByLength(padded, positions, texts.rows).map((numbers) =>
    chunkOf(texts, numbers, padded[numbers[0]]),
  );
}

/** All texts as one chunk, in their own order. */
export function wholeOf(texts: TokenRows, { positions: most }: EncoderShape): Chunk {
  const longest = texts.lengths.reduce((a, b) => Math.max(a, b), 0);
  const width = Math.min(most, Math.ceil(longest / STEP) * STEP);
  return chunkOf(
    texts,
    Array.from(texts.lengths, (_, i) => i),
    width,
  );
}

function chunkOf(texts: TokenRows, numbers: readonly number[], width: number): Chunk {
  const ids = new Int32Array(numbers.length * width);
  const mask = new Float32Array(numbers.length * width);
  numbers.forEach((number, row) => {
    const start = number * texts.width;
    ids.set(texts.ids.subarray(start, start + texts.lengths[number]), row * width);
    mask.fill(1, row * width, row * width + texts.lengths[number]);
  });
  return { numbers, width, ids, mask };
}
