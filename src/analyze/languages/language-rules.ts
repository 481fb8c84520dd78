// The rules of a language: its stop words, the normal form of its words, its stemmer.

/** What an analyzer must know about a language. */
export interface Language {
  /** Separated by white space. Their normal forms are dropped. */
  readonly stopWords: string;
  /** The normal form of a word, which is looked up among the stop words; lower case by default. */
  readonly normalize?: (word: string) => string;
  /** The term of a word that is no stop word. */
  readonly stem: (word: string) => string;
  /** Endings of two letters or more that the stemmer cuts off or changes, if they are known. */
  readonly endings?: readonly string[];
  /** The letters of a normal form as most stems have them, if stemming changes letters: é → e. */
  readonly stemLetters?: (word: string) => string;
  /** Whether invisible characters and Unicode's forms of a letter stay in terms, as Lucene has it. */
  readonly keepsCharacters?: true;
  /** Changes a text before it is cut. It keeps every character where it is, so that words can be marked. */
  readonly prepare?: (text: string) => string;
}
