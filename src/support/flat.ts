// A piece of a text that does not keep the whole text alive. V8 makes a slice of 13 or more characters a view of its
// parent, so a word that is kept (in a cache, in a vocabulary) would keep its document.

/** The same text in memory of its own. JSON keeps half of a surrogate pair, which UTF-8 would not. */
export function flat(text: string): string {
  return text.length < 13 ? text : JSON.parse(JSON.stringify(text));
}
