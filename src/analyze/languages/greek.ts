// Greek, with Snowball's stemmer: lower case without accents, and one sigma.
// Stop words: the list of Lucene 9.12 (Apache-2.0).

import { stemmer } from "@orama/stemmers/greek";
import { foldAccents, lowerCase } from "../letters/fold.ts";
import type { Language } from "./language-rules.ts";

export const greek: Language = {
  stopWords: `
    ο η το οι τα του τησ των τον την και κι κ ειμαι εισαι ειναι ειμαστε ειστε στο στον στη στην μα αλλα απο
    για προσ με σε ωσ παρα αντι κατα μετα θα να δε δεν μη μην επι ενω εαν αν τοτε που πωσ ποιοσ ποια ποιο
    ποιοι ποιεσ ποιων ποιουσ αυτοσ αυτη αυτο αυτοι αυτων αυτουσ αυτεσ αυτα εκεινοσ εκεινη εκεινο εκεινοι
    εκεινεσ εκεινα εκεινων εκεινουσ οπωσ ομωσ ισωσ οσο οτι
  `,
  normalize: (word) => foldAccents(lowerCase(word)).replaceAll("ς", "σ"),
  stem: stemmer,
};
