// What turns a text into terms, in the order they stand, repetitions included.

export interface Analyzer {
  /** What an index records to find the same analyser again. */
  readonly name: "english" | "whitespace" | "wordpiece";
  terms(text: string): string[];
  /**
   * Calls `emit` with the terms and where their words stand: [start, end) in UTF-16 units. A word that is cut into
   * pieces comes once, with its first.
   */
  eachTerm?(text: string, emit: (term: string, start: number, end: number) => void): void;
}

/** Terms are what stands between white space, as it is: for texts that were cut elsewhere. */
export const whitespace: Analyzer = {
  name: "whitespace",
  terms: (text) => text.split(/\s+/u).filter((term) => term !== ""),
  eachTerm(text, emit) {
    for (const { 0: term, index } of text.matchAll(/\S+/gu)) emit(term, index, index + term.length);
  },
};
