// German, as Lucene has it: umlauts in any spelling become plain vowels, then Savoy's light stemmer.
// Stop words: the list of Snowball, as in Lucene 9.12 (BSD-3-Clause).

import { foldAccents } from "../letters/fold.ts";
import type { Language } from "./language-rules.ts";

export const german: Language = {
  stopWords: `
    aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes anderm
    andern anderr anders auch auf aus bei bin bis bist da damit dann der den des dem die das daß derselbe
    derselben denselben desselben demselben dieselbe dieselben dasselbe dazu dein deine deinem deinen deiner
    deines denn derer dessen dich dir du dies diese diesem diesen dieser dieses doch dort durch ein eine
    einem einen einer eines einig einige einigem einigen einiger einiges einmal er ihn ihm es etwas euer
    eure eurem euren eurer eures für gegen gewesen hab habe haben hat hatte hatten hier hin hinter ich mich
    mir ihr ihre ihrem ihren ihrer ihres euch im in indem ins ist jede jedem jeden jeder jedes jene jenem
    jenen jener jenes jetzt kann kein keine keinem keinen keiner keines können könnte machen man manche
    manchem manchen mancher manches mein meine meinem meinen meiner meines mit muss musste nach nicht nichts
    noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seines selbst sich sie ihnen sind so
    solche solchem solchen solcher solches soll sollte sondern sonst über um und uns unse unsem unsen unser
    unses unter viel vom von vor während war waren warst was weg weil weiter welche welchem welchen welcher
    welches wenn werde werden wie wieder will wir wird wirst wo wollen wollte würde würden zu zum zur zwar
    zwischen
  `,
  stem: (word) => lightStem(plainVowels(word)),
  stemLetters: (word) => unaccented(plainVowels(word)),
};

/** Ä, ae → a and so on; ß → ss. An e after a, o or u is an umlaut, unless a vowel or a q is before: "treue", "quelle". */
function plainVowels(word: string): string {
  return word
    .replaceAll("ß", "ss")
    .replace(/([aeiouyqäöü]u|[aou])(e?)|[äöü]/gu, (match, vowel?: string, e?: string) => {
      if (vowel === undefined) return PLAIN[match];
      return vowel.length === 2 ? `${[...vowel].map(plainVowel).join("")}${e}` : vowel;
    });
}

const PLAIN: Readonly<Record<string, string>> = { ä: "a", ö: "o", ü: "u" };
const plainVowel = (letter: string) => PLAIN[letter] ?? letter;

function unaccented(word: string): string {
  return word.replace(/[àáâïìíîòóôùúû]/gu, foldAccents);
}

/** Endings of declension, then of comparison. */
function lightStem(word: string): string {
  return withoutComparison(withoutCase(unaccented(word)));
}

function withoutCase(w: string): string {
  if (w.length > 5 && w.endsWith("ern")) return w.slice(0, -3);
  if (w.length > 4 && /e[mnrs]$/u.test(w)) return w.slice(0, -2);
  if (w.length > 3 && /(?:e|[bdfghklmnt]s)$/u.test(w)) return w.slice(0, -1);
  return w;
}

function withoutComparison(w: string): string {
  if (w.length > 5 && w.endsWith("est")) return w.slice(0, -3);
  if (w.length > 4 && /(?:e[rn]|[bdfghklmnt]st)$/u.test(w)) return w.slice(0, -2);
  return w;
}
