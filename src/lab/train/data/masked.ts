// Passages with holes → what a head over the vocabulary learns words from. A batch follows from the seed and the number
// of its step alone.

import { mulberry32 } from "../../../support/random.ts";
import type { MaskedBatch, TokenRows } from "../batch.ts";
import { seedFrom } from "./choice.ts";
import type { TokenLists } from "./token-lists.ts";

export interface MaskedOptions {
  readonly seed: number;
  /** Texts of a batch. */
  readonly texts: number;
  /** The id of [MASK]. */
  readonly mask: number;
  /** Share of the tokens that are to be guessed; BERT's 0.15 when left out. */
  readonly guessed?: number;
  /** Share of those that are hidden, BERT's 0.8 when left out; the others stand as they are. */
  readonly hidden?: number;
  /** What each token of the vocabulary shall weigh; nothing is said about weights when left out. */
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
    // Neither the first token of a row nor its last: they frame the text.
    for (let token = 1; token < rows.lengths[row] - 1; token++) {
      if (random() < guessed) at.push(row * rows.width + token);
    }
  }
  // A batch of very short texts may have none: its first word is taken then.
  if (at.length === 0) at.push(1);
  const labels = Int32Array.from(at, (place) => rows.ids[place]);
  for (const place of at) if (random() < hidden) ids[place] = mask;
  const holes = { texts: { ...rows, ids }, at: Int32Array.from(at), labels };
  return weights ? { ...holes, weighed: weighed(rows, weights) } : holes;
}

/** All tokens behind [CLS], which stands for the whole text; the last token, [SEP], has its weight too. */
function weighed({ rows, width, ids, lengths }: TokenRows, weights: Float32Array): MaskedBatch["weighed"] {
  const at: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let token = 1; token < lengths[row]; token++) at.push(row * width + token);
  }
  return { at: Int32Array.from(at), weights: Float32Array.from(at, (place) => weights[ids[place]]) };
}
