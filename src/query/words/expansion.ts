// What completing, correcting and translating the words of a query gives: more terms to search for.

/** What a text is searched with besides its own terms. */
export interface ExpandedText {
  readonly expansions: readonly Expansion[];
  /** For a term of the text, the ids of the terms that its word was corrected or completed to. */
  readonly alternatives: Alternatives;
}

export type Alternatives = ReadonlyMap<string, readonly number[]>;

/** A term that a query is searched with although nobody typed it. */
export interface Expansion {
  readonly id: number;
  readonly weight: number;
  /** The word of the query that it came from, as it was typed. */
  readonly from: string;
  /** How many edits a correction took; 0 for a completion, and undefined for a synonym. */
  readonly edits?: number;
}
