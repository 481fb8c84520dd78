// An analyzer turns a text into terms: in the order of the text, repetitions included.

/** Takes a term and the range of its word: [start, end) in UTF-16 units. */
export type EmitTerm = (term: string, start: number, end: number) => void;

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
