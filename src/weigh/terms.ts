// A document → its bag of terms: how often each occurs in its texts, or the weights that come with the document.

import type { Analyzer } from "../analyze/contract/analyzer.ts";
import { type Bag, checkBag, countTerms, weightEntries } from "../documents/bag.ts";
import { type Document, indexedText } from "../documents/document.ts";
import { readTextsByField, type TextField } from "../documents/text-fields.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { FLOAT16_MAX, roundToFloat16 } from "../support/numbers/float16.ts";
import { combinedLength, combinedSum } from "./combined-fields.ts";
import { wrongWeightError } from "./term-weights.ts";
import { textFieldsIn, type Weighting } from "./weighting.ts";

/** The terms of a document, and its length. `where` names the document in an error. */
export function documentTerms(
  document: Document,
  weighting: Weighting,
  where: string,
): { readonly bag: Bag; readonly length: number } {
  const { kind, analyzer } = weighting;
  const fields = textFieldsIn(weighting);
  if (fields) return termsOfFields(document, analyzer, fields, where);
  const bag =
    kind === "bm25"
      ? countTerms(analyzer.terms(indexedText(document, where)))
      : givenWeights(document, where);
  return { bag, length: bagLength(bag) };
}

/** Counts the terms of a document's text fields. Terms are in the order of their first occurrence. */
function termsOfFields(
  document: Document,
  analyzer: Analyzer,
  fields: readonly TextField[],
  where: string,
): { bag: Bag; length: number } {
  const weights = fields.map(({ weight }) => weight);
  const counted = readTextsByField(document, fields, where).map((texts) =>
    countTerms(texts.flatMap((text) => analyzer.terms(text))),
  );
  const bag = new Map<string, number>();
  for (const own of counted) {
    for (const term of own.keys()) {
      const counts = counted.map((each) => each.get(term) ?? 0);
      if (!bag.has(term)) bag.set(term, combinedSum(counts, weights));
    }
  }
  return { bag, length: combinedLength(counted.map(bagLength), weights) };
}

/** The weights that come with a document, checked. */
export function givenWeights(document: Document, where: string): Bag {
  const { weights } = document;
  if (!weights) {
    throw new SluiceError(`${where}: no weights`, 'give each document "weights", or use lexical "bm25"');
  }
  const bag = checkBag(weightEntries(weights, `${where}, its weights`), where);
  for (const [term, weight] of bag) {
    if (roundToFloat16(weight) <= FLOAT16_MAX) continue;
    const { problem, hint } = wrongWeightError(weight, term);
    throw new SluiceError(`${where}: ${problem}`, hint);
  }
  return bag;
}

/** The length of a text: its terms, repetitions included; or the sum of its weights. */
export function bagLength(bag: Bag): number {
  let length = 0;
  for (const weight of bag.values()) length += weight;
  return length;
}
