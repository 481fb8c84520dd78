// A slice of a text → a copy that does not keep the whole text in memory. V8 makes a slice of 13 or more characters a
// view of its parent, so a word in a cache or a vocabulary would keep its whole document.

/** A copy of the text. It goes through JSON because JSON keeps half a surrogate pair, and UTF-8 does not. */
export function flatCopy(text: string): string {
  return text.length < 13 ? text : JSON.parse(JSON.stringify(text));
}
