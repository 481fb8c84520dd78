// Latvian, with the light stemmer of Kreslins, as Lucene has it: one ending goes, and a softened consonant becomes hard.
// Stop words: the list of Lucene 9.12 (Apache-2.0).

import type { Language } from "./language-rules.ts";

export const latvian: Language = {
  stopWords: `
    aiz ap ar apakš ārpus augšpus bez caur dēļ gar iekš iz kopš labad lejpus līdz no otrpus pa par pār pēc
    pie pirms pret priekš starp šaipus uz viņpus virs virspus zem apakšpus un bet jo ja ka lai tomēr tikko
    turpretī arī kaut gan tādēļ tā ne tikvien vien kā ir te vai kamēr diezin droši diemžēl nebūt ik it taču
    nu pat tiklab iekšpus nedz tik nevis turpretim jeb iekam iekām iekāms kolīdz līdzko tiklīdz jebšu tālab
    tāpēc nekā itin jā jau jel nē nezin tad tikai vis tak iekams būt biju biji bija bijām bijāt esmu esi
    esam esat būšu būsi būs būsim būsiet tikt tiku tiki tika tikām tikāt tieku tiec tiek tiekam tiekat tikšu
    tiks tiksim tiksiet tapt tapi tapāt topat tapšu tapsi taps tapsim tapsiet kļūt kļuvu kļuvi kļuva kļuvām
    kļuvāt kļūstu kļūsti kļūst kļūstam kļūstat kļūšu kļūsi kļūs kļūsim kļūsiet varēt varēju varējām varēšu
    varēsim var varēji varējāt varēsi varēsiet varat varēja varēs
  `,
  stem: lightStem,
};

/** [vowels that the word must have beyond the ending, whether the stem may be soft, endings]. */
const ENDINGS = (
  [
    [3, false, "ajiem ajai"],
    [2, false, "ajam ajām ajos ajās"],
    [2, true, "iem"],
    [2, false, "ajā ais ai ei"],
    [1, false, "ām am ēm īm im um"],
    [1, true, "us"],
    [1, false, "as ās es"],
    [1, true, "os"],
    [1, false, "ij īs ēs is ie"],
    [1, true, "u a i"],
    [1, false, "e ā ē ī ū o"],
    [0, false, "s š"],
  ] as const
).flatMap(([vowels, isSoft, endings]) => endings.split(" ").map((ending) => ({ vowels, isSoft, ending })));

function lightStem(w: string): string {
  const vowels = w.match(/[aeiouāēīū]/gu)?.length ?? 0;
  const found = ENDINGS.find(
    ({ ending, vowels: least }) => vowels > least && w.length >= ending.length + 3 && w.endsWith(ending),
  );
  if (!found) return w;
  const stem = w.slice(0, -found.ending.length);
  return found.isSoft ? hard(stem, w[stem.length]) : stem;
}

const HARD: readonly (readonly [RegExp, string])[] = [
  [/(?<=[pbmv])j$/u, ""],
  [/šņ$/u, "sn"],
  [/žņ$/u, "zn"],
  [/šļ$/u, "sl"],
  [/žļ$/u, "zl"],
  [/ļņ$/u, "ln"],
  [/ļļ$/u, "ll"],
  [/č$/u, "c"],
  [/ļ$/u, "l"],
  [/ņ$/u, "n"],
];

/** `next` is the letter after the stem. */
function hard(w: string, next: string): string {
  if (next === "u" && w.endsWith("kš")) return `${w.slice(0, -2)}st`;
  if (next === "u" && w.endsWith("ņņ")) return `${w.slice(0, -2)}nn`;
  const rule = HARD.find(([soft]) => soft.test(w));
  return rule ? w.replace(rule[0], rule[1]) : w;
}
