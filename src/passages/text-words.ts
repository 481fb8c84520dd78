// A text → its words, as the length of a passage counts them. A word ends at white space. Scripts that put no spaces between
// words have a number of letters instead: two for Chinese and Japanese, four for Thai and its neighbors. That is close to the
// average word, and it is the same on every machine, whatever its dictionaries are. A run of other letters that is longer than
// any word counts as several.

const TWO_A_WORD = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\u30FC\uFF70`;
const FOUR_A_WORD = String.raw`\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}`;
/** The most characters of a word in other scripts. */
const LONGEST = 256;

/** Some letters with their marks, with the brackets that open before them and the punctuation that follows. */
const letters = (scripts: string, most: number) =>
  String.raw`[\p{Ps}\p{Pi}]{0,8}(?:(?![\p{M}\p{P}])[${scripts}][\p{M}\u200C\u200D]*){1,${most}}[\p{Pe}\p{Pf}\p{Po}]{0,8}`;
const others = String.raw`(?:(?![${TWO_A_WORD}${FOUR_A_WORD}])\S|[\p{M}\p{P}]){1,${LONGEST}}`;
const WORD = new RegExp(`${letters(TWO_A_WORD, 2)}|${letters(FOUR_A_WORD, 4)}|${others}`, "gu");

/** How many words a text has. */
export function countWords(text: string): number {
  return text.match(WORD)?.length ?? 0;
}

/** The words of a text. Together they hold all of it but the white space. */
export function splitIntoWords(text: string): Piece[] {
  let end = 0;
  return Array.from(text.matchAll(WORD), ({ 0: word, index }) => {
    const glue = index > end ? " " : "";
    end = index + word.length;
    return { text: word, glue };
  });
}

/** A piece of a text. `glue` is a space if white space separates it from the piece before, and empty if nothing does. */
export interface Piece {
  readonly text: string;
  readonly glue: string;
}

/** Pieces as one text. */
export function joinPieces(pieces: readonly Piece[]): string {
  return pieces.map(({ text, glue }, i) => (i === 0 ? text : glue + text)).join("");
}
