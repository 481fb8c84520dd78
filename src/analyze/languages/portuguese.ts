// Portuguese, with Savoy's light stemmer, as Lucene has it: plurals, feminine forms, the last vowel, accents.
// Stop words: the list of Snowball, as in Lucene 9.12 (BSD-3-Clause).

import { foldAccents } from "../letters/fold.ts";
import type { Language } from "./language-rules.ts";

export const portuguese: Language = {
  stopWords: `
    de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou
    quando muito nos já eu também só pelo pela até isso ela entre depois sem mesmo aos seus quem nas me esse
    eles você essa num nem suas meu às minha numa pelos elas qual nós lhe deles essas esses pelas este dele
    tu te vocês vos lhes meus minhas teu tua teus tuas nosso nossa nossos nossas dela delas esta estes estas
    aquele aquela aqueles aquelas isto aquilo estou está estamos estão estive esteve estivemos estiveram
    estava estávamos estavam estivera estivéramos esteja estejamos estejam estivesse estivéssemos estivessem
    estiver estivermos estiverem hei há havemos hão houve houvemos houveram houvera houvéramos haja hajamos
    hajam houvesse houvéssemos houvessem houver houvermos houverem houverei houverá houveremos houverão
    houveria houveríamos houveriam sou somos são era éramos eram fui foi fomos foram fora fôramos seja
    sejamos sejam fosse fôssemos fossem for formos forem serei será seremos serão seria seríamos seriam
    tenho tem temos tém tinha tínhamos tinham tive teve tivemos tiveram tivera tivéramos tenha tenhamos
    tenham tivesse tivéssemos tivessem tiver tivermos tiverem terei terá teremos terão teria teríamos teriam
  `,
  stem: (word) => (word.length < 4 ? word : unaccented(withoutVowel(masculine(singular(word))))),
  stemLetters: unaccented,
};

function unaccented(word: string): string {
  return word.replace(/[à-äç-ïò-öù-ü]/gu, foldAccents);
}

/** [shortest word, ending, what replaces it]. The first rule that fits is applied. */
const PLURALS: readonly (readonly [number, RegExp, string])[] = [
  [5, /(?<=[rslz])es$/u, ""],
  [4, /ns$/u, "m"],
  [5, /[eé]is$/u, "el"],
  [5, /ais$/u, "al"],
  [5, /óis$/u, "ol"],
  [5, /is$/u, "il"],
  [4, /[õã]es$/u, "ão"],
  [7, /mente$/u, ""],
  [4, /s$/u, ""],
];

function singular(w: string): string {
  const rule = PLURALS.find(([least, ending]) => w.length >= least && ending.test(w));
  return rule ? w.replace(rule[1], rule[2]) : w;
}

function masculine(w: string): string {
  if (w.length > 7 && /(?:inha|iaca|eira)$/u.test(w)) return `${w.slice(0, -1)}o`;
  if (w.length <= 6) return w;
  if (/(?:osa|ica|ida|ada|iva|ama)$/u.test(w)) return `${w.slice(0, -1)}o`;
  if (w.endsWith("ona")) return `${w.slice(0, -3)}ão`;
  if (w.endsWith("ora")) return w.slice(0, -1);
  if (w.endsWith("esa")) return `${w.slice(0, -3)}ês`;
  return w.endsWith("na") ? `${w.slice(0, -1)}o` : w;
}

function withoutVowel(w: string): string {
  return w.length > 4 && /[eao]$/u.test(w) ? w.slice(0, -1) : w;
}
