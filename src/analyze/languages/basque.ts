// Basque, with Snowball's stemmer, which comes with an optional package.
// Stop words: the list of Lucene 9.12 (Apache-2.0).

import type { Language } from "./language-rules.ts";
import { loadSnowballStemmer } from "./snowball.ts";

/** Loads the package of the stemmer. */
export async function openBasque(): Promise<Language> {
  return { stopWords: STOP_WORDS, stem: await loadSnowballStemmer("eu", "basque") };
}

const STOP_WORDS = `
    al anitz arabera asko baina bat batean batek bati batzuei batzuek batzuetan batzuk bera beraiek berau
    berauek bere berori beroriek beste bezala da dago dira ditu du dute edo egin ere eta eurak ez gainera gu
    gutxi guzti haiei haiek haietan hainbeste hala han handik hango hara hari hark hartan hau hauei hauek
    hauetan hemen hemendik hemengo hi hona honek honela honetan honi hor hori horiei horiek horietan horko
    horra horrek horrela horretan horri hortik hura izan ni noiz nola non nondik nongo nor nora ze zein zen
    zenbait zenbat zer zergatik ziren zituen zu zuek zuen zuten
`;
