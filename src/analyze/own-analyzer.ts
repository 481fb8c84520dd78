// An analyzer of the user's own → the same analyzer, with a check of all that it gives. Without the check, terms that are no texts
// would be counted and written, and every query would find every document.

import { SluiceError } from "../support/errors/sluice-error.ts";
import { showValue } from "../support/options/options.ts";
import type { Analyzer } from "./contract/analyzer.ts";

/** Throws where the analyzer gives something else than terms. */
export function wrapOwnAnalyzer(analyzer: Analyzer): Analyzer {
  const { name } = analyzer;
  const checked: Analyzer = {
    name,
    terms(text) {
      const terms: unknown = analyzer.terms(text);
      if (!Array.isArray(terms)) throw wrongTermsError(name, terms);
      for (const term of terms)
        if (typeof term !== "string") throw wrongTermsError(name, term, "a list with ");
      return terms;
    },
  };
  if (analyzer.eachTerm === undefined) return checked;
  checked.eachTerm = (text, emit) =>
    analyzer.eachTerm!(text, (term: unknown, start, end) => {
      if (typeof term !== "string") throw wrongTermsError(name, term);
      if (
        !(
          Number.isInteger(start) &&
          Number.isInteger(end) &&
          0 <= start &&
          start <= end &&
          end <= text.length
        )
      )
        throw new SluiceError(
          `the analyzer ${showValue(name)} puts a term at ${showValue(start)} to ${showValue(end)} of a text of ${text.length} characters`,
          "eachTerm calls emit(term, start, end) with the range of the word in the text",
        );
      emit(term, start, end);
    });
  return checked;
}

function wrongTermsError(name: string, found: unknown, of = ""): SluiceError {
  const isPromise = typeof (found as PromiseLike<unknown> | null | undefined)?.then === "function";
  return new SluiceError(
    `the analyzer ${showValue(name)} gave ${of}${isPromise ? "a promise" : showValue(found)}, expected a list of texts`,
    isPromise ? "an analyzer cannot be async" : "its function terms takes a text, and returns its terms",
  );
}
