// Czech, with the light stemmer of Dolamic and Savoy, as Lucene has it: case endings, possessives, softened consonants.
// Stop words: the list of Lucene 9.12 (Apache-2.0).

import type { Language } from "./language-rules.ts";

export const czech: Language = {
  stopWords: `
    a s k o i u v z dnes cz tímto budeš budem byli jseš můj svým ta tomto tohle tuto tyto jej zda proč máte
    tato kam tohoto kdo kteří mi nám tom tomuto mít nic proto kterou byla toho protože asi ho naši napište
    re což tím takže svých její svými jste aj tu tedy teto bylo kde ke pravé ji nad nejsou či pod téma mezi
    přes ty pak vám ani když však neg jsem tento článku články aby jsme před pta jejich byl ještě až bez
    také pouze první vaše která nás nový tipy pokud může strana jeho své jiné zprávy nové není vás jen podle
    zde už být více bude již než který by které co nebo ten tak má při od po jsou jak další ale si se ve to
    jako za zpět ze do pro je na atd atp jakmile přičemž já on ona ono oni ony my vy jí mě mne jemu tomu těm
    těmu němu němuž jehož jíž jelikož jež jakož načež
  `,
  stem: (word) => hard(withoutPossessive(withoutCase(word))),
};

/** [the word is longer than this, endings]. The first line that fits is applied. */
const CASES: readonly (readonly [number, RegExp])[] = [
  [7, /atech$/u],
  [6, /(?:[ěe]tem|atům)$/u],
  [5, /(?:[eií]ch|ého|[ěe]mi|ému|[ěe]t[ei]|[ií]ho|ími|[ií]mu|ách|at[ay]|ých|am[ai]|ov[éi]|ými)$/u],
  [4, /(?:[eé]m|es|ím|ům|at|ám|[ou]s|ým|mi|ou)$/u],
  [3, /[aeiouůyáéíýě]$/u],
];

function withoutCase(w: string): string {
  const rule = CASES.find(([above, ending]) => w.length > above && ending.test(w));
  return rule ? w.replace(rule[1], "") : w;
}

function withoutPossessive(w: string): string {
  return w.length > 5 && /(?:ov|in|ův)$/u.test(w) ? w.slice(0, -2) : w;
}

function hard(w: string): string {
  if (w.endsWith("čt")) return `${w.slice(0, -2)}ck`;
  if (w.endsWith("št")) return `${w.slice(0, -2)}sk`;
  if (/[cč]$/u.test(w)) return `${w.slice(0, -1)}k`;
  if (/[zž]$/u.test(w)) return `${w.slice(0, -1)}h`;
  if (w.length > 1 && w.at(-2) === "e") return `${w.slice(0, -2)}${w.at(-1)}`;
  return w.length > 2 && w.at(-2) === "ů" ? `${w.slice(0, -2)}o${w.at(-1)}` : w;
}
