// A part of a text that is marked.

/** [start, end) in UTF-16 units. */
export type Range = readonly [start: number, end: number];
