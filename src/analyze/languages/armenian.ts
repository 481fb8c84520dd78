// Armenian, with Snowball's stemmer.
// Stop words: the list of Lucene 9.12 (Apache-2.0).

import { stemmer } from "@orama/stemmers/armenian";
import type { Language } from "./language-rules.ts";

export const armenian: Language = {
  stopWords: `
    այդ այլ այն այս դու դուք եմ են ենք ես եք է էի էին էինք էիր էիք էր ըստ թ ի ին իսկ իր կամ համար հետ հետո
    մենք մեջ մի ն նա նաև նրա նրանք որ որը որոնք որպես ու ում պիտի վրա և
  `,
  stem: stemmer,
};
