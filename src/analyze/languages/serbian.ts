// Serbian in both of its alphabets, with Snowball's stemmer, then in Latin letters without marks.
// Stop words: the list of Lucene 9.12 (Apache-2.0).

import { stemmer } from "@orama/stemmers/serbian";
import type { Language } from "./language-rules.ts";

export const serbian: Language = {
  stopWords: `
    i ili a ali pa biti ne jesam sam jesi si je jesmo smo jeste ste jesu su nijesam nisam nijesi nisi nije
    nijesmo nismo nijeste niste nijesu nisu budem budeš bude budemo budete budu budes bih bi bismo biste
    biše bise bio bili budimo budite bila bilo bile ću ćeš će ćemo ćete neću nećeš neće nećemo nećete cu ces
    ce cemo cete necu neces nece necemo necete mogu možeš može možemo možete mozes moze mozemo mozete и или
    а али па бити не јесам сам јеси си је јесмо смо јесте сте јесу су нијесам нисам нијеси ниси није нијесмо
    нисмо нијесте нисте нијесу нису будем будеш буде будемо будете буду будес бих би бисмо бисте бише бисе
    био били будимо будите била било биле ћу ћеш ће ћемо ћете нећу нећеш неће нећемо нећете цу цес це цемо
    цете нецу нецес неце нецемо нецете могу можеш може можемо можете мозес мозе моземо мозете
  `,
  stem: (word) => bald(stemmer(word)),
  stemLetters: bald,
};

const LATIN: Readonly<Record<string, string>> = {
  ...{
    а: "a",
    б: "b",
    в: "v",
    г: "g",
    д: "d",
    ђ: "dj",
    е: "e",
    ж: "z",
    з: "z",
    и: "i",
    ј: "j",
    к: "k",
    л: "l",
  },
  ...{
    љ: "lj",
    м: "m",
    н: "n",
    њ: "nj",
    о: "o",
    п: "p",
    р: "r",
    с: "s",
    т: "t",
    ћ: "c",
    у: "u",
    ф: "f",
    х: "h",
  },
  ...{ ц: "c", ч: "c", џ: "dz", ш: "s", č: "c", ć: "c", š: "s", ž: "z", đ: "dj" },
};

function bald(word: string): string {
  return word.replace(/[\u0100-\u04ff]/gu, (letter) => LATIN[letter] ?? letter);
}
