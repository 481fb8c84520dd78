// A word → the form that all of its spellings share: composed, without compatibility forms, without case and, if asked for,
// without accents and invisible characters. Plain ASCII words are only lower-cased.

import { stripInvisible } from "./strip-invisible.ts";

const ASCII = /^[\0-\x7f]*$/;

/** Folds a word. Words that differ only in Unicode form, width, ligatures or case come out the same. */
export function foldWord(word: string, accents: boolean): string {
  if (ASCII.test(word)) return word.toLowerCase();
  const folded = foldDigits(foldCase(stripInvisible(word).normalize("NFKC")));
  return accents ? foldAccents(folded) : folded;
}

/** Lower case, with the letters that lower case alone leaves apart: ß and ss, ς and σ, İ and i. */
function foldCase(word: string): string {
  return word.toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ").replaceAll("i\u0307", "i");
}

/** Scripts in which a mark above or below a letter is an accent. Elsewhere marks are vowels, or make another letter. */
const ACCENTED = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}][\p{Mn}\u0640]*/gu;
const MARKS = /[\p{Mn}\u0640]/gu;

/** Letters with a stroke or a ligature: they have no decomposition. */
const STROKED: Readonly<Record<string, string>> = {
  ...{ æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", þ: "th", ł: "l", ħ: "h", ŧ: "t", ı: "i", ŋ: "n", ə: "e" },
  ё: "е",
};
const WITH_STROKE = new RegExp(`[${Object.keys(STROKED).join("")}]`, "gu");

/** Removes accents where they are accents. In Cyrillic, only ё changes: й is another letter than и. */
export function foldAccents(word: string): string {
  return word
    .replace(ACCENTED, (letter) => letter.normalize("NFD").replace(MARKS, "").normalize("NFC"))
    .replace(WITH_STROKE, (letter) => STROKED[letter]);
}

const DIGIT = /\p{Nd}/u;
const FOREIGN_DIGITS = /[^\P{Nd}0-9]/gu;

/** Turns the digits of any script into 0 … 9. Every script has its ten digits in one run. */
export function foldDigits(word: string): string {
  return word.replace(FOREIGN_DIGITS, (digit) => {
    const code = digit.codePointAt(0)!;
    let value = 0;
    while (value < 9 && DIGIT.test(String.fromCodePoint(code - value - 1))) value++;
    return String(value);
  });
}

/** Lower-cases character by character, as Java does: no final sigma, and İ becomes i. */
export function lowerCase(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  let lower = "";
  for (const character of word) lower += String.fromCodePoint(character.toLowerCase().codePointAt(0)!);
  return lower;
}
