// The options of suggestions, and their checks.

import { checkWordOptions, type TypoOptions } from "../../query/words/word-options.ts";
import {
  checkBoolean,
  checkNumber,
  checkOptions,
  checkSignal,
  type KnownOptions,
} from "../../support/options/options.ts";

export interface SuggestOptions {
  /** The most suggestions to return; 5 by default. */
  readonly k?: number | undefined;
  /** How far a word may be from what was meant; `false` completes only. True by default. */
  readonly typos?: boolean | TypoOptions | undefined;
  /** Leaves operators as they are, with field names, values, phrases and excluded words: for the text of a search with `syntax`. */
  readonly syntax?: boolean | undefined;
  /** Aborting it stops the call. It then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The default of `k`. */
export const DEFAULT_SUGGESTIONS = 5;
/** The most suggestions of a call. Each reads documents. */
export const MOST_SUGGESTIONS = 100;

/** The names of the options of `suggest`. */
export const SUGGEST_OPTIONS: KnownOptions<SuggestOptions> = {
  k: true,
  typos: true,
  syntax: true,
  signal: true,
};

export function checkSuggestOptions(options: SuggestOptions): void {
  checkOptions(options, SUGGEST_OPTIONS, "suggest");
  const { k, typos = true, syntax, signal } = options;
  checkNumber("k", k, { least: 0, most: MOST_SUGGESTIONS, isWhole: true });
  checkWordOptions({ typos });
  checkBoolean("syntax", syntax);
  checkSignal(signal);
}
