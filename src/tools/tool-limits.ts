// What a program lets a language model see of an index.

import type { Filter } from "../documents/filter.ts";

/** The most characters of a hit's text. More cost a model more tokens. */
export const DEFAULT_TEXT_LENGTH = 1000;

/** Limits that the program sets for the model. */
export interface ToolLimits {
  /** The number of hits of `search`, unless the model asks for another; 10 by default. */
  readonly k?: number | undefined;
  /** The most characters of a hit's text, 1,000 by default. The tool `get` returns the whole text. */
  readonly textLength?: number | undefined;
  /**
   * A filter that holds for all tools, in addition to the model's own: `search` does not find a document that it excludes, and to
   * `explain` and `get` no document has its id.
   */
  readonly filter?: Filter | undefined;
  /** `search` leaves out hits with a lower score. The model can only raise it. */
  readonly minScore?: number | undefined;
}
