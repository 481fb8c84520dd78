// An analyzer turns a text into terms: in the order of the text, repetitions included.

export interface Analyzer {
  /** The name that an index records, to find the same analyzer again. */
  readonly name: "english" | "whitespace" | "wordpiece";
  terms(text: string): string[];
  /**
   * Calls `emit` with each term and the range of its word: [start, end) in UTF-16 units. A word that is cut into pieces is
   * emitted once, with its first piece.
   */
  eachTerm?(text: string, emit: (term: string, start: number, end: number) => void): void;
}

/** Splits at white space and changes nothing, for texts that are already cut into terms. */
export const whitespace: Analyzer = {
  name: "whitespace",
  terms(text) {
    const terms: string[] = [];
    eachPiece(text, (term) => terms.push(term));
    return terms;
  },
  eachTerm: eachPiece,
};

/** Calls `emit` with each piece between white space. */
function eachPiece(text: string, emit: (piece: string, start: number, end: number) => void): void {
  let start = -1;
  for (let at = 0; at < text.length; at++) {
    if (!isSpace(text.charCodeAt(at))) {
      if (start < 0) start = at;
    } else if (start >= 0) {
      emit(text.slice(start, at), start, at);
      start = -1;
    }
  }
  if (start >= 0) emit(text.slice(start), start, text.length);
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
