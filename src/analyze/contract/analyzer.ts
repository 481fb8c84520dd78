// An analyzer turns a text into terms: in the order of the text, repetitions included.

/** Takes a term and the range of its word: [start, end) in UTF-16 units. */
export type EmitTerm = (term: string, start: number, end: number) => void;

/** Takes the range of a word: [start, end) in UTF-16 units. */
export type EmitWord = (start: number, end: number) => void;

/** How an analyzer makes terms of words. A build remembers the term of each word, and needs no string for a word that it knows. */
export interface WordTerms {
  /**
   * Calls `word` for each term of a text that is `termOf` a word, and `term` with every other term: together the terms of
   * `Analyzer.terms`, in its order. A word may have no term. The text was prepared (`Analyzer.prepare`).
   */
  eachWord(text: string, word: EmitWord, term: (term: string) => void): void;
  /** The term of a word; "" for none. The same word always has the same term. */
  termOf(word: string): string;
}

export interface Analyzer {
  /** The name that an index records, to find the same analyzer again. */
  readonly name: string;
  terms(text: string): string[];
  /**
   * Calls `emit` with each term and the range of its word. A word that is cut into pieces is emitted once, with its first
   * piece.
   */
  eachTerm?(text: string, emit: EmitTerm): void;
  /** What changes a text before it is cut. Every character stays where it is. */
  prepare?(text: string): string;
  /** @internal Only analyzers of ours have it. */
  readonly words?: WordTerms;
  /**
   * @internal How the terms of words with these first letters may begin: letters folded as in terms, and no ending removed. By
   * default they begin as the words do in lower case. Only analyzers of ours have it.
   */
  beginnings?(letters: string): readonly string[];
  /**
   * @internal Endings of two letters or more that are cut off or changed, if they are known. A user who
   * is still typing may have stopped within one.
   */
  readonly endings?: readonly string[];
  /** @internal Whether a term begins as its word does, letters folded, except for an ending. Only analyzers of ours have it. */
  readonly keepsBeginnings?: true;
}
