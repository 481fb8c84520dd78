// A word and suffixes by length → the word without its longest suffix. The light stemmers of several languages are this alone.

/** Suffixes of one list have the same length, the longest first. At least two characters of a word stay. */
export function stripLongest(word: string, suffixes: readonly (readonly string[])[]): string {
  for (const list of suffixes) {
    const found = word.length > list[0].length + 1 && list.find((suffix) => word.endsWith(suffix));
    if (found) return word.slice(0, -found.length);
  }
  return word;
}
