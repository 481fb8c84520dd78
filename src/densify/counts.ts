// Counts what happened to the terms of documents when they were densified. They are shown to users, so that a wrong
// vocabulary or too few dimensions do not go unnoticed.

/** What densifying kept and lost of the terms of documents. Stored records and headers name it `counts`. */
export interface DensifyCounts {
  readonly docs: number;
  /** Rows without a filled slot: these documents cannot be found by their terms. */
  readonly empty: number;
  /** Distinct terms of each document, summed over the documents. */
  readonly terms: number;
  /** Filled slots: the terms that rows keep. */
  readonly kept: number;
  /** Terms that had to share a slice with another one; the heavier was kept. */
  readonly collisions: number;
  /** Terms whose id the slicing discards. */
  readonly discarded: number;
  /** Terms that are not in the vocabulary. */
  readonly unknown: number;
  /** Terms whose weight is 0, or becomes 0 in float16. */
  readonly weightless: number;
}

type Tally = { -readonly [Key in keyof DensifyCounts]: DensifyCounts[Key] };

export function createTally(): Tally {
  return { docs: 0, empty: 0, terms: 0, kept: 0, collisions: 0, discarded: 0, unknown: 0, weightless: 0 };
}

/** The share of the documents' terms, from 0 to 1, that rows do not keep. A search for such a term does not find the document. */
export function droppedShare({ terms, collisions, discarded, unknown }: DensifyCounts): number {
  return terms === 0 ? 0 : (collisions + discarded + unknown) / terms;
}

/** Filled slots per document: "tokens per document" in the paper's tables. */
export function tokensPerDoc({ docs, kept }: DensifyCounts): number {
  return docs === 0 ? 0 : kept / docs;
}
