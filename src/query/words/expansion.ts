// Expansions: terms to search for that completing, correcting and translating the words of a query adds.

/** What a text is searched with besides its own terms. */
export interface ExpandedText {
  readonly expansions: readonly Expansion[];
  /** For a term of the text, the ids of the terms that its word was corrected or completed to. */
  readonly alternatives: Alternatives;
  /** Beginnings that have more completions than a search takes. */
  readonly cut?: readonly CutBeginning[];
}

/** A beginning of a word, how many of its completions a search takes, and how many there are. */
interface CutBeginning {
  readonly word: string;
  readonly taken: number;
  readonly completions: number;
}

/** Says which beginnings have more completions than a search takes; undefined if none has. */
export function describeCutBeginnings(texts: readonly ExpandedText[]): readonly string[] | undefined {
  const messages = texts
    .flatMap(({ cut = [] }) => cut)
    .map(
      ({ word, taken, completions }) =>
        `${JSON.stringify(word)} stands for the ${taken} most frequent of ${completions} words that begin with it; ` +
        "documents that have only others are not found or counted by it, so type more letters",
    );
  return messages.length === 0 ? undefined : [...new Set(messages)];
}

export type Alternatives = ReadonlyMap<string, readonly number[]>;

/** A term that a query is searched with although nobody typed it. */
export interface Expansion {
  readonly id: number;
  readonly weight: number;
  /** The word of the query that the term came from, spelled as the user typed it. */
  readonly from: string;
  /** How many edits a correction took; 0 for a completion, and undefined for a synonym. */
  readonly edits?: number;
}
