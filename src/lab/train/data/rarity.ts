// Computes a target weight for each token: √(share · idf). A score multiplies the weights of both sides, so a common token
// then adds share · idf, as in BM25.

import { idf } from "../../../weigh/bm25.ts";
import type { TokenLists } from "./token-lists.ts";

/** Returns the weights by token id. [CLS] and [SEP] are in every text, so their weight is almost 0. */
export function rarities(lists: TokenLists, vocabularySize: number, share: number): Float32Array {
  const frequencies = new Uint32Array(vocabularySize);
  for (let i = 0; i < lists.size; i++) for (const id of new Set(lists.at(i))) frequencies[id]++;
  return Float32Array.from(frequencies, (frequency) => Math.sqrt(share * idf(lists.size, frequency)));
}
