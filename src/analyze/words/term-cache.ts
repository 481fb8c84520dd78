// A word → its term, remembered: words repeat, so most of the work of an analyzer is a look-up.

import { flatCopy } from "../../support/bytes/flat.ts";

/**
 * The most words in a cache, which is cleared when it is full. Larger: more memory. Smaller: a corpus with more different words
 * stems them again and again.
 */
const CACHED_WORDS = 200_000;

/** A function that gives the same terms as `termOf`, and calls it once a word as long as the word is remembered. */
export function cacheTerms(termOf: (word: string) => string): (word: string) => string {
  const cache = new Map<string, string>();
  return (word) => {
    let term = cache.get(word);
    if (term === undefined) {
      if (cache.size >= CACHED_WORDS) cache.clear();
      term = termOf(word);
      cache.set(flatCopy(word), term);
    }
    return term;
  };
}
