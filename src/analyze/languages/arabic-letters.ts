// An Arabic word → one spelling of letters that are written in several ways, without vowel signs.

/** Alef with its signs becomes plain, final yeh and teh marbuta the letters that they are confused with. */
export function oneSpelling(word: string): string {
  return word
    .replace(/[\u0640\u064b-\u0652]/gu, "")
    .replace(/[\u0622\u0623\u0625]/gu, "\u0627")
    .replaceAll("\u0649", "\u064a")
    .replaceAll("\u0629", "\u0647");
}
