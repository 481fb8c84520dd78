// What turns a text into terms, in the order they stand, repetitions included.

export interface Analyzer {
  /** What an index records to find the same analyser again. */
  readonly name: "english" | "whitespace" | "wordpiece";
  terms(text: string): string[];
}

/** Terms are what stands between white space, as it is: for texts that were cut elsewhere. */
export const whitespace: Analyzer = {
  name: "whitespace",
  terms: (text) => text.split(/\s+/u).filter((term) => term !== ""),
};
