// A term of the index → the word of a text that it stands for. A term is often a stem, which nobody typed.

/** A word and its stem share at least this many letters at the beginning. */
const FEWEST_LETTERS = 2;

/** The word of the text that begins most like the term; the term itself if there is none. */
export function likeliestWord(text: string, term: string): string {
  let [best, most] = [term, FEWEST_LETTERS - 1];
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    const shared = sharedLetters(folded(word), folded(term));
    if (shared > most) [best, most] = [word, shared];
  }
  return best;
}

const folded = (word: string) => word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

function sharedLetters(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
