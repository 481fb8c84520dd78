// Telugu, with the suffixes of Lucene's light stemmer; long and short vowels become one.
// Stop words: the list of Lucene 9.12 (Apache-2.0).

import { foldDigits, lowerCase } from "../letters/fold.ts";
import type { Language } from "./language-rules.ts";

export const telugu: Language = {
  stopWords: `
    చేయగలిగింది గురించి పై ప్రకారం అనుగుణంగా అడ్డంగా నిజంగా తర్వాత మళ్ళీ వ్యతిరేకంగా కాదు అందరూ అనుమతించు
    అనుమతిస్తుంది దాదాపు మాత్రమే వెంట ఇప్పటికే కూడా అయితే ఎప్పుడు వద్ద మధ్య ఒక మరియు మరొక ఏ ఏమైనప్పటికి
    ఎవరైనా ఏదైనా ఎక్కడైనా వేరుగా కనిపిస్తాయి మెచ్చుకో తగిన ఉన్నారు చుట్టూ గా అడగండి అడగడం సంబంధం అందుబాటులో
    దూరంగా
  `,
  normalize: (word) => oneSound(foldDigits(lowerCase(word))),
  stem: lightStem,
};

/** Pairs of characters: the first becomes the second. */
const SOUNDS = new Map(
  [
    "ఐఏ",
    "ఔఓ",
    "ఆఅ",
    "ఈఇ",
    "ఊఉ",
    "ఏఎ",
    "ఓఒ",
    "\u0c40\u0c3f",
    "\u0c42\u0c41",
    "\u0c47\u0c46",
    "\u0c4b\u0c4a",
  ].map((pair) => [pair[0], pair[1]] as const),
);

function oneSound(word: string): string {
  return word
    .replace(/[\u0c03\u200c\u200d]/gu, "")
    .replaceAll("\u0c46\u0c56", "\u0c48")
    .replace(/[\u0c00-\u0c7f]/gu, (letter) => SOUNDS.get(letter) ?? letter);
}

function lightStem(w: string): string {
  if (w.length > 5 && /(?:ళ్ళు|డ్లు)$/u.test(w)) return w.slice(0, -4);
  if (w.length > 3 && /(?:[డమవలనస]ు|[నదక]ి|చే|[కవప]ై|లో)$/u.test(w)) return w.slice(0, -2);
  return w.length > 2 && /[\u0c3e-\u0c42\u0c46\u0c47\u0c4a\u0c4b]$/u.test(w) ? w.slice(0, -1) : w;
}
