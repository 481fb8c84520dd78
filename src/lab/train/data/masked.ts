// Makes batches of passages with masked tokens, from which a head over the vocabulary learns. A batch depends only on the
// seed and the step.

import { mulberry32 } from "../../../support/numbers/random.ts";
import type { MaskedBatch, TokenRows } from "./batch.ts";
import { seedFrom } from "./choice.ts";
import type { TokenLists } from "./token-lists.ts";

interface MaskedOptions {
  readonly seed: number;
  /** Texts per batch. */
  readonly texts: number;
  /** The id of [MASK]. */
  readonly mask: number;
  /** Share of the tokens to predict. Default: BERT's 0.15. */
  readonly guessed?: number;
  /** Share of these that are masked; the others stay visible. Default: BERT's 0.8. */
  readonly hidden?: number;
  /** Target weight of each token of the vocabulary. Default: no target weights. */
  readonly weights?: Float32Array;
}

export function maskedBatch(
  passages: TokenLists,
  step: number,
  { seed, texts, mask, guessed = 0.15, hidden = 0.8, weights }: MaskedOptions,
): MaskedBatch {
  const random = mulberry32(seedFrom(seed, step));
  const rows = passages.rows(Array.from({ length: texts }, () => Math.floor(random() * passages.size)));
  const ids = rows.ids.slice();
  const at: number[] = [];
  for (let row = 0; row < rows.rows; row++) {
    // Skip the first and the last token of a row: [CLS] and [SEP].
    for (let token = 1; token < rows.lengths[row] - 1; token++) {
      if (random() < guessed) at.push(row * rows.width + token);
    }
  }
  // A batch of very short texts may have none. Then predict the first token of the first text.
  if (at.length === 0) at.push(1);
  const labels = Int32Array.from(at, (position) => rows.ids[position]);
  for (const position of at) if (random() < hidden) ids[position] = mask;
  const masked = { texts: { ...rows, ids }, at: Int32Array.from(at), labels };
  return weights ? { ...masked, weighed: targetWeights(rows, weights) } : masked;
}

/** Target weights of all tokens after [CLS], which stands for the whole text. The last token, [SEP], has one too. */
function targetWeights(
  { rows, width, ids, lengths }: TokenRows,
  weights: Float32Array,
): MaskedBatch["weighed"] {
  const at: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let token = 1; token < lengths[row]; token++) at.push(row * width + token);
  }
  return { at: Int32Array.from(at), weights: Float32Array.from(at, (position) => weights[ids[position]]) };
}
