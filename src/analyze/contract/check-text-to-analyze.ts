// Checks the text that an analyzer is called with. This file imports little: an analyzer alone in a page stays small.

import { SluiceError } from "../../support/errors/sluice-error.ts";

/** Throws if the value is not a text. */
export function checkTextToAnalyze(text: unknown): void {
  if (typeof text !== "string")
    throw new SluiceError(`the text to analyze must be a text, not ${text === null ? "null" : typeof text}`);
}
