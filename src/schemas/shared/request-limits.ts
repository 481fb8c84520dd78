// The most that one request may ask for over HTTP, or as a tool of a language model. The library, the command line and pages have
// no such limits, because there callers use their own machine.

/** A server can be given other limits; tools cannot. */
export const REQUEST_LIMITS = {
  /** Characters in the text of a query. */
  queryLength: 8192,
  /** Hits in one answer. */
  k: 1000,
  /** The largest `offset`. */
  offset: 10_000,
} as const;

/** Hits in one answer to a language model. It is fewer than over HTTP, because a model reads every hit. */
export const MOST_TOOL_HITS = 100;

/** Documents that the first stage of a request passes on. They take memory of the server. */
export const MOST_REQUESTED_CANDIDATES = 10_000_000;

/** The characters of a text, counted as JSON Schema counts them: code points, not UTF-16 units. */
export function charactersIn(text: string): number {
  let characters = 0;
  for (const _ of text) characters++;
  return characters;
}
