// Irish, with Snowball's stemmer. A prefixed n or t before a capital vowel is cut off by a hyphen; d', m' and b' go.
// Stop words: the list of Lucene 9.12 (Apache-2.0).

import { stemmer } from "@orama/stemmers/irish";
import { lowerCase } from "../letters/fold.ts";
import { withoutElision } from "./elision.ts";
import type { Language } from "./language-rules.ts";

export const irish: Language = {
  stopWords: `
    a ach ag agus an aon ar arna as b' ba beirt bhúr caoga ceathair ceathrar chomh chtó chuig chun cois céad
    cúig cúigear d' daichead dar de deich deichniúr den dhá do don dtí dá dár dó faoi faoin faoina faoinár
    fara fiche gach gan go gur haon hocht i iad idir in ina ins inár is le leis lena lenár m' mar mo mé na
    nach naoi naonúr ná ní níor nó nócha ocht ochtar os roimh sa seacht seachtar seachtó seasca seisear siad
    sibh sinn sna sé sí tar thar thú triúr trí trína trínár tríocha tú um ár é éis í ó ón óna ónár
  `,
  normalize: (word) => {
    if (/^[hnt]$/iu.test(word)) return ""; // what a hyphen left of h-, n- and t-
    const rest = withoutElision(word, ELIDED);
    return lowerCase(/^[nt][AEIOUÁÉÍÓÚ]/u.test(rest) ? `${rest[0]}-${rest.slice(1)}` : rest);
  },
  stem: stemmer,
};

const ELIDED: ReadonlySet<string> = new Set(["d", "m", "b"]);
