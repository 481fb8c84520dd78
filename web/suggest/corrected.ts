// The terms of a search → the words that it corrected. Completions and synonyms correct nothing.

import type { SearchAnswer } from "../../src/schemas/index.ts";

export interface CorrectedWord {
  /** As it was typed. */
  readonly from: string;
  /** A term that was searched for instead. */
  readonly to: string;
}

export function correctedWords({ terms }: Pick<SearchAnswer, "terms">): CorrectedWord[] {
  return terms.flatMap(({ term, from, edits = 0 }) =>
    from !== undefined && edits > 0 ? [{ from, to: term }] : [],
  );
}
