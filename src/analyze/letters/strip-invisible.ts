// A word → the word without characters that nobody sees: soft hyphens, marks of direction, word joiners, byte order marks. Texts
// that were copied from pages and documents have them inside of words, and nobody types them in a query.
//
// A zero-width joiner or non-joiner changes how Arabic and Indic letters are written, and joins emoji. So it goes only where it
// does nothing: after a Latin, Greek or Cyrillic letter.

const MAYBE_INVISIBLE = /[\xad\u061c\u180e\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/;
const INVISIBLE =
  /[\xad\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]|(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{Mn}*)[\u200c\u200d]+/gu;

/** The word as it looks. */
export function stripInvisible(word: string): string {
  return MAYBE_INVISIBLE.test(word) ? word.replace(INVISIBLE, "") : word;
}
