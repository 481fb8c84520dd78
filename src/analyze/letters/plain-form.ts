// A folded word → how it is written plainly, so that both spellings are one term.

const POSSESSIVE = /['’＇]s$/u;
const APOSTROPHES = /['’＇]/gu;
/** The articles and pronouns that French, Italian and Catalan write together with the next word. */
const ELISION =
  /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|un|all|dall|dell|nell|sull|quest|quell)['’＇](?=[\p{L}\d]{2})/u;
const THOUSANDS = /^\d{1,3}(?:,\d{3})+(?=$|\.)/;
const ACRONYM = /^\p{L}(?:\.\p{L})+$/u;

/** The dog's → dog, l'école → école, o'reilly → oreilly, 4,500 → 4500, u.s.a → usa. */
export function plainForm(word: string): string {
  if (THOUSANDS.test(word)) return word.replaceAll(",", "");
  if (ACRONYM.test(word)) return word.replaceAll(".", "");
  return word.replace(POSSESSIVE, "").replace(ELISION, "").replace(APOSTROPHES, "");
}
