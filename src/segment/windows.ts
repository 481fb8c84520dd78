// Documents are searched a window at a time: few enough for 16 bits to name one and for the sums of all of them to stay
// in a processor's second cache, many enough that what a query pays once a window does not count.

export const WINDOW_DOCS = 65_536;

/** Kernels take documents by sixteen: the arrays of a window are as long as this. */
export function paddedDocs(docs: number): number {
  return Math.ceil(docs / 16) * 16;
}

export interface Window {
  /** The first document, and how many there are. */
  readonly first: number;
  readonly docs: number;
}

export function windowsOf(docs: number, windowDocs = WINDOW_DOCS): Window[] {
  const count = Math.ceil(docs / windowDocs);
  return Array.from({ length: count }, (_, i) => ({
    first: i * windowDocs,
    docs: Math.min(windowDocs, docs - i * windowDocs),
  }));
}
