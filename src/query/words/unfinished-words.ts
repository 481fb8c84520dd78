// A word that is still being typed → spellings that go on after it. What an analyzer makes of them are the terms of words that
// begin with it, where an ending is cut off or changed: "closin" is no beginning of "close", the term of closing, and
// "universit" none of "univers".
//
// One more letter finds 98 % of these terms in most languages, so all letters are tried. The rest needs the ending of a
// language, or two frequent letters where endings are not known (README.md has the figures).

/** How many of the most frequent letters are tried as pairs. More: a few more words are found, and it takes longer. */
const PAIRED_LETTERS = 8;

/** Calls `each` with spellings that begin with a word: the word itself, with a letter, and with what is left of an ending. */
export function eachContinued(
  word: string,
  alphabet: readonly string[],
  endings: readonly string[] | undefined,
  each: (continued: string) => void,
): void {
  each(word);
  for (const letter of alphabet) each(word + letter);
  for (const rest of endings ? restsOfEndings(word, endings) : frequentPairs(alphabet)) each(word + rest);
}

/** What is left of the endings that a word may have begun, if that is more than a letter. */
function restsOfEndings(word: string, endings: readonly string[]): Set<string> {
  const rests = new Set<string>();
  // A consonant is doubled before an ending: "hopp", and "ing" follows.
  const isDoubled = word.length > 3 && word.at(-1) === word.at(-2);
  for (const ending of endings) {
    if (isDoubled && ending.length <= 3) rests.add(ending);
    for (let typed = 1; typed < ending.length - 1; typed++)
      if (word.endsWith(ending.slice(0, typed))) rests.add(ending.slice(typed));
  }
  return rests;
}

function frequentPairs(alphabet: readonly string[]): string[] {
  const letters = alphabet.slice(0, PAIRED_LETTERS);
  return letters.flatMap((first) => letters.map((second) => first + second));
}
