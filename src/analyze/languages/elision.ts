// A word with an article or a pronoun before an apostrophe (l'avion, dell'arte) → the word without it.

const APOSTROPHE = /['’]/u;

/** The word without what stands before its first apostrophe, if that is one of `elided`, in lower case. */
export function withoutElision(word: string, elided: ReadonlySet<string>): string {
  const at = word.search(APOSTROPHE);
  return at > 0 && elided.has(word.slice(0, at).toLowerCase()) ? word.slice(at + 1) : word;
}
