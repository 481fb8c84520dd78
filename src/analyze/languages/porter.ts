// An English word → its stem, by Porter's algorithm (1980) with the two later rules that Lucene has, too: -bli → -ble and
// -logi → -log.
//
// We do not use the npm package: it differs from Lucene on words that are only a suffix. It makes "e" of "eed", which is
// the name of a gene in our test collections.

/** The stem of a lower-case English word. Words of one or two letters stay as they are. */
export function stem(word: string): string {
  if (word.length <= 2) return word;
  let w = withoutPlural(word);
  w = withoutPastOrGerund(w);
  if (w.endsWith("y") && hasVowel(w.slice(0, -1))) w = `${w.slice(0, -1)}i`;
  w = replaceSuffix(w, STEP_2, 0);
  w = replaceSuffix(w, STEP_3, 0);
  w = replaceSuffix(w, STEP_4, 1);
  return withoutFinalE(w);
}

function withoutPlural(w: string): string {
  if (w.endsWith("sses") || w.endsWith("ies")) return w.slice(0, -2);
  return w.endsWith("s") && !w.endsWith("ss") ? w.slice(0, -1) : w;
}

function withoutPastOrGerund(w: string): string {
  if (w.endsWith("eed")) return measure(w.slice(0, -3)) > 0 ? w.slice(0, -1) : w;
  const suffix = ["ed", "ing"].find((ending) => w.endsWith(ending));
  if (!suffix) return w;
  const rest = w.slice(0, -suffix.length);
  if (!hasVowel(rest)) return w;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (endsDouble(rest)) return /[lsz]$/.test(rest) ? rest : rest.slice(0, -1);
  return measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function withoutFinalE(word: string): string {
  let w = word;
  if (w.endsWith("e")) {
    const rest = w.slice(0, -1);
    const m = measure(rest);
    if (m > 1 || (m === 1 && !endsShort(rest))) w = rest;
  }
  return w.endsWith("ll") && measure(w) > 1 ? w.slice(0, -1) : w;
}

type Rules = readonly (readonly [suffix: string, replacement: string])[];

const STEP_2 = rules(
  "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize " +
    "ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log",
);
const STEP_3 = rules("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:");
const STEP_4 = rules(
  "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive: ize:",
);

/** Sorts rules by suffix, the longest first: only the longest suffix that matches is tried. */
function rules(text: string): Rules {
  const pairs = text.split(" ").map((rule) => rule.split(":") as [string, string]);
  return pairs.sort(([a], [b]) => b.length - a.length);
}

/** Replaces the longest suffix that matches, if the rest of the word has a measure above `above`. */
function replaceSuffix(w: string, rules: Rules, above: number): string {
  const rule = rules.find(([suffix]) => w.endsWith(suffix));
  if (!rule) return w;
  const rest = w.slice(0, -rule[0].length);
  if (rule[0] === "ion" && !/[st]$/.test(rest)) return w; // "adoption" loses it, "onion" does not
  return measure(rest) > above ? rest + rule[1] : w;
}

/** m in [C](VC)^m[V]: how often a run of vowels is followed by a run of consonants. */
function measure(w: string): number {
  let m = 0;
  for (let i = 1; i < w.length; i++) if (isConsonant(w, i) && !isConsonant(w, i - 1)) m++;
  return m;
}

function hasVowel(w: string): boolean {
  for (let i = 0; i < w.length; i++) if (!isConsonant(w, i)) return true;
  return false;
}

function endsDouble(w: string): boolean {
  const last = w.length - 1;
  return last > 0 && w[last] === w[last - 1] && isConsonant(w, last);
}

/** Whether a word ends in consonant, vowel, consonant other than w, x, y. Such a stem gets its e back: hop-ing, hope. */
function endsShort(w: string): boolean {
  const last = w.length - 1;
  if (last < 2 || /[wxy]$/.test(w)) return false;
  return isConsonant(w, last) && !isConsonant(w, last - 1) && isConsonant(w, last - 2);
}

/** A y is a consonant at the start of a word and after a vowel. */
function isConsonant(w: string, i: number): boolean {
  const letter = w[i];
  if (letter === "y") return i === 0 || !isConsonant(w, i - 1);
  return !"aeiou".includes(letter);
}

/**
 * Endings that the stemmer cuts off, one after another in "hopefulness". One is left out: by "-ative", any word that goes on
 * with an "a" would have the term of a shorter one.
 */
export const ENGLISH_ENDINGS: readonly string[] = (
  "ing ings ingly edly ies ness nesses fulness lessness ousness iveness ableness ment ments able ably ability abilities ible ibly ibility " +
  "ibilities ation ations ational ationally ator ators ively ivity ivities ization izations izer izers izing ized izes ity ities ality " +
  "alities ally alism alist alization ance ances ancy ence ences ency ent ents ently ion ions ional ionally ism isms istic ious iously " +
  "ously ous ful fully icate icated icates icating ical ically icity icities ology ologies"
).split(" ");
