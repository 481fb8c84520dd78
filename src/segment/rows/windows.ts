// The documents of a segment → windows, which are searched one at a time.

/**
 * Documents per window. They are few enough for numbers of 16 bits and for sums that stay in a processor's L2 cache, and so many
 * that work done once for each window hardly counts.
 */
export const WINDOW_DOCS = 65_536;

/** The length of a window's arrays: kernels take documents in groups of sixteen. */
export function padDocs(docs: number): number {
  return Math.ceil(docs / 16) * 16;
}

export interface Window {
  /** The local of the first document. */
  readonly first: number;
  /** How many documents there are. */
  readonly docs: number;
}

export function splitIntoWindows(docs: number, windowDocs = WINDOW_DOCS): Window[] {
  const count = Math.ceil(docs / windowDocs);
  return Array.from({ length: count }, (_, i) => ({
    first: i * windowDocs,
    docs: Math.min(windowDocs, docs - i * windowDocs),
  }));
}
