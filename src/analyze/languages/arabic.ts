// Arabic, as Lucene has it: letters with several spellings become one, then the light stemmer of Larkey.
// Stop words: the list of Lucene 9.12 (Apache-2.0).

import { foldDigits, lowerCase } from "../letters/fold.ts";
import { oneSpelling } from "./arabic-letters.ts";
import type { Language } from "./language-rules.ts";

export const arabic: Language = {
  stopWords: `
    من ومن منها منه في وفي فيها فيه و ف ثم او أو ب بها به ا أ اى اي أي أى لا ولا الا ألا إلا لكن ما وما كما
    فما عن مع اذا إذا ان أن إن انها أنها إنها انه أنه إنه بان بأن فان فأن وان وأن وإن التى التي الذى الذي
    الذين الى الي إلى إلي على عليها عليه اما أما إما ايضا أيضا كل وكل لم ولم لن ولن هى هي هو وهى وهي وهو فهى
    فهي فهو انت أنت لك لها له هذه هذا تلك ذلك هناك كانت كان يكون تكون وكانت وكان غير بعض قد نحو بين بينما
    منذ ضمن حيث الان الآن خلال بعد قبل حتى عند عندما لدى جميع
  `,
  normalize: (word) => foldDigits(lowerCase(word)),
  stem: (word) => withoutSuffixes(withoutPrefix(oneSpelling(word))),
  stemLetters: oneSpelling,
};

const PREFIXES = ["ال", "وال", "بال", "كال", "فال", "لل", "و"];
const SUFFIXES = ["ها", "ان", "ات", "ون", "ين", "يه", "ية", "ه", "ة", "ي"];

/** At least two letters stay, and three after a lone w. */
function withoutPrefix(w: string): string {
  const fits = (prefix: string) =>
    w.length >= Math.max(4, prefix.length + 2) || (prefix.length > 1 && w.length >= prefix.length + 2);
  const prefix = PREFIXES.find((each) => fits(each) && w.startsWith(each));
  return prefix ? w.slice(prefix.length) : w;
}

/** Suffixes go one after the other, each at most once. */
function withoutSuffixes(word: string): string {
  return SUFFIXES.reduce(
    (w, suffix) => (w.length >= suffix.length + 2 && w.endsWith(suffix) ? w.slice(0, -suffix.length) : w),
    word,
  );
}
