// French, with Savoy's light stemmer, as Lucene has it. Articles and pronouns before an apostrophe go.
// Stop words: the list of Snowball, as in Lucene 9.12 (BSD-3-Clause).

import { foldAccents, lowerCase } from "../letters/fold.ts";
import { withoutElision } from "./elision.ts";
import type { Language } from "./language-rules.ts";

export const french: Language = {
  stopWords: `
    au aux avec ce ces dans de des du elle en et eux il je la le leur lui ma mais me même mes moi mon ne nos
    notre nous on ou par pas pour qu que qui sa se ses sur ta te tes toi ton tu un une vos votre vous c d j
    l à m n s t y étée étées étant suis es êtes sont serai seras sera serons serez seront serais serait
    serions seriez seraient étais était étions étiez étaient fus fut fûmes fûtes furent sois soit soyons
    soyez soient fusse fusses fussions fussiez fussent ayant eu eue eues eus ai avons avez ont aurai aurons
    aurez auront aurais aurait aurions auriez auraient avais avait aviez avaient eut eûmes eûtes eurent aie
    aies ait ayons ayez aient eusse eusses eût eussions eussiez eussent ceci cela celà cet cette ici ils les
    leurs quel quels quelle quelles sans soi
  `,
  normalize: (word) => lowerCase(withoutElision(word, ELIDED)),
  stem: (word) => withoutEnding(withoutSuffix(singular(word))),
  stemLetters: plainLetters,
};

const ELIDED: ReadonlySet<string> = new Set("l m t qu n s j d c jusqu quoiqu lorsqu puisqu".split(" "));

function singular(word: string): string {
  let w = word;
  if (w.length > 5 && w.endsWith("x")) w = /[^e]aux$/u.test(w) ? `${w.slice(0, -2)}l` : w.slice(0, -1);
  if (w.length > 3 && w.endsWith("x")) w = w.slice(0, -1);
  return w.length > 3 && w.endsWith("s") ? w.slice(0, -1) : w;
}

/** [the word is longer than this, suffix, what replaces it]. The first rule that fits is applied. */
const SUFFIXES: readonly (readonly [number, RegExp, string])[] = [
  [9, /issement$/u, "ir"],
  [8, /issant$/u, "ir"],
  [6, /ivement$/u, "if"],
  [6, /ement$/u, "e"],
  [11, /ficatrice$/u, "fier"],
  [10, /ficateur$/u, "fier"],
  [9, /catrice$/u, "quer"],
  [8, /cateur$/u, "quer"],
  [8, /atrice$/u, "er"],
  [7, /ateur$/u, "er"],
  [6, /trice$/u, "teur"],
  [5, /ième$/u, ""],
  [7, /teuse$/u, "ter"],
  [6, /teur$/u, "ter"],
  [5, /euse$/u, "eu"],
  [8, /ère$/u, "er"],
  [7, /ive$/u, "if"],
  [4, /(?<=[fm])olle$/u, "ou"],
  [9, /nnelle$/u, "n"],
  [9, /nnel$/u, "n"],
  [4, /ète$/u, "et"],
  [8, /ique$/u, ""],
  [8, /esse$/u, "e"],
  [7, /inage$/u, "in"],
  [9, /ualisation$/u, "uel"],
  [9, /isation$/u, ""],
  [9, /isateur$/u, ""],
  [8, /[ai]tion$/u, ""],
];

function withoutSuffix(w: string): string {
  const rule = SUFFIXES.find(([above, suffix]) => w.length > above && suffix.test(w));
  return rule ? w.replace(rule[1], rule[2]) : w;
}

/** Accents and double letters go. */
function plainLetters(word: string): string {
  return word.replace(/[àáâôèéêùûîç]/gu, foldAccents).replace(/(\p{L})\1+/gu, "$1");
}

/** Accents, double letters and the last vowels go. */
function withoutEnding(word: string): string {
  if (word.length <= 4) return word;
  let w = plainLetters(word);
  if (w.length > 4 && w.endsWith("ie")) w = w.slice(0, -2);
  if (w.length <= 4) return w;
  w = w.replace(/r$/u, "").replace(/e$/u, "").replace(/e$/u, "");
  return w.replace(/(\p{L})\1$/u, "$1");
}
