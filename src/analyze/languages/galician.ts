// Galician, with a light stemmer of our own: plurals, feminine forms and the last vowel. Lucene has the longer rules of RSLP.
// Stop words: the list of Lucene 9.12 (Apache-2.0).

import { foldAccents } from "../letters/fold.ts";
import type { Language } from "./language-rules.ts";

export const galician: Language = {
  stopWords: `
    a aínda alí aquel aquela aquelas aqueles aquilo aquí ao aos as así á ben cando che co coa comigo con
    connosco contigo convosco coas cos cun cuns cunha cunhas da dalgunha dalgunhas dalgún dalgúns das de del
    dela delas deles desde deste do dos dun duns dunha dunhas e el ela elas eles en era eran esa esas ese
    eses esta estar estaba está están este estes estiven estou eu é facer foi foron fun había hai iso isto
    la las lle lles lo los mais me meu meus min miña miñas moi na nas neste nin no non nos nosa nosas noso
    nosos nós nun nunha nuns nunhas o os ou ó ós para pero pode pois pola polas polo polos por que se senón
    ser seu seus sexa sido sobre súa súas tamén tan te ten teñen teño ter teu teus ti tido tiña tiven túa
    túas un unha unhas uns vos vosa vosas voso vosos vós
  `,
  stem: (word) => (word.length < 4 ? word : foldAccents(withoutVowel(singular(word)))),
  stemLetters: foldAccents,
};

/** [shortest word, ending, what replaces it]. The first rule that fits is applied. */
const PLURALS: readonly (readonly [number, RegExp, string])[] = [
  [5, /(?<=[rslz])es$/u, ""],
  [5, /ces$/u, "z"],
  [4, /ns$/u, "n"],
  [5, /[aeo]is$/u, "l"],
  [7, /mente$/u, ""],
  [4, /s$/u, ""],
];

function singular(w: string): string {
  const rule = PLURALS.find(([least, ending]) => w.length >= least && ending.test(w));
  return rule ? w.replace(rule[1], rule[2]) : w;
}

function withoutVowel(w: string): string {
  return w.length > 4 && /[eao]$/u.test(w) ? w.slice(0, -1) : w;
}
