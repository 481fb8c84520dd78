// What a densification lost, to be shown: a wrong vocabulary or too few dimensions must not pass unseen.

/** What became of the terms of a collection when it was densified. */
export interface Counts {
  readonly docs: number;
  /** Rows without a single slot: nothing can find these documents by their words. */
  readonly empty: number;
  /** Distinct terms of each document, summed over the documents. */
  readonly terms: number;
  /** Slots filled: what is left of the terms. */
  readonly kept: number;
  /** Terms that found their slot taken. */
  readonly collisions: number;
  /** Terms whose vocabulary id the slicing throws away. */
  readonly discarded: number;
  /** Terms the vocabulary lacks. */
  readonly unknown: number;
  /** Terms whose weight is 0, or becomes 0 in float16. */
  readonly weightless: number;
}

export type Tally = { -readonly [Key in keyof Counts]: Counts[Key] };

export function emptyTally(): Tally {
  return { docs: 0, empty: 0, terms: 0, kept: 0, collisions: 0, discarded: 0, unknown: 0, weightless: 0 };
}

/** The share of the documents' terms, from 0 to 1, that rows do not hold: searching for them does not find the document. */
export function droppedTerms({ terms, collisions, discarded, unknown }: Counts): number {
  return terms === 0 ? 0 : (collisions + discarded + unknown) / terms;
}

/** "tokens per document" of the paper's tables: slots that hold something. */
export function tokensPerDoc({ docs, kept }: Counts): number {
  return docs === 0 ? 0 : kept / docs;
}
