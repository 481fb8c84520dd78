// Text that is already cut into terms → its terms.

import type { Analyzer, EmitTerm, EmitWord } from "../contract/analyzer.ts";
import { checkTextToAnalyze } from "../contract/check-text-to-analyze.ts";

/** Splits at white space and changes nothing, for texts that are already cut into terms. */
export const whitespace: Analyzer = {
  name: "whitespace",
  terms(text) {
    const terms: string[] = [];
    eachPiece(text, (start, end) => terms.push(text.slice(start, end)));
    return terms;
  },
  eachTerm(text: string, emit: EmitTerm) {
    eachPiece(text, (start, end) => emit(text.slice(start, end), start, end));
  },
  words: { eachWord: eachPiece, termOf: (word) => word },
  beginnings: (letters) => [letters],
};

/** Calls `emit` with the range of each piece between white space. */
function eachPiece(text: string, emit: EmitWord): void {
  checkTextToAnalyze(text);
  let start = -1;
  for (let at = 0; at < text.length; at++) {
    if (!isSpace(text.charCodeAt(at))) {
      if (start < 0) start = at;
    } else if (start >= 0) {
      emit(start, at);
      start = -1;
    }
  }
  if (start >= 0) emit(start, text.length);
}

const BEYOND_ASCII = new Set(
  "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
    .split("")
    .map((space) => space.charCodeAt(0)),
);

/** Whether `\s` matches. It uses no regular expression because texts are long. */
function isSpace(unit: number): boolean {
  return unit <= 32 ? unit === 32 || (unit >= 9 && unit <= 13) : unit >= 160 && BEYOND_ASCII.has(unit);
}
