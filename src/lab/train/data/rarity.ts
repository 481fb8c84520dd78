// Lists of tokens → what each token is worth as BM25 sees it, where both sides of a score carry half: √(share · idf).

import { idf } from "../../../weigh/bm25.ts";
import type { TokenLists } from "./token-lists.ts";

/** By id. The tokens that frame every text are in all of them, and weigh next to nothing. */
export function rarities(lists: TokenLists, vocabulary: number, share: number): Float32Array {
  const frequencies = new Uint32Array(vocabulary);
  for (let i = 0; i < lists.size; i++) for (const id of new Set(lists.at(i))) frequencies[id]++;
  return Float32Array.from(frequencies, (frequency) => Math.sqrt(share * idf(lists.size, frequency)));
}
