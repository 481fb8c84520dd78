// A document → its bag of terms: how often each occurs in the text, or the weights that come with the document.

import type { Analyzer } from "../analyze/contract/analyzer.ts";
import { type Bag, checkedBag, countTerms } from "../documents/bag.ts";
import { type Document, textOf } from "../documents/document.ts";
import { UsageError } from "../errors.ts";
import { FLOAT16_MAX, roundToFloat16 } from "../support/numbers/float16.ts";
import { badWeight } from "./term-weights.ts";
import type { Weighting } from "./weighting.ts";

/** The terms of a document. `where` names the document in an error. */
export function termsOf(
  document: Document,
  { kind, analyzer }: { readonly kind: Weighting["kind"]; readonly analyzer: Analyzer },
  where: string,
): Bag {
  return kind === "bm25" ? countTerms(analyzer.terms(textOf(document, where))) : weightsOf(document, where);
}

/** The weights that come with a document, checked. */
export function weightsOf(document: Document, where: string): Bag {
  const { weights } = document;
  if (!weights) {
    throw new UsageError(`${where}: no weights`, 'give each document "weights", or use lexical "bm25"');
  }
  const bag = checkedBag(weights instanceof Map ? weights : Object.entries(weights), where);
  for (const [term, weight] of bag) {
    if (roundToFloat16(weight) <= FLOAT16_MAX) continue;
    const { message, hint } = badWeight(weight, term);
    throw new UsageError(`${where}: ${message}`, hint);
  }
  return bag;
}

/** The length of a text: its terms, repetitions included; or the sum of its weights. */
export function lengthOf(bag: Bag): number {
  let length = 0;
  for (const weight of bag.values()) length += weight;
  return length;
}
