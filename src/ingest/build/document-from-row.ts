// A stored document and its row → the document that the caller gave: with the weights, or the factors, that the row holds.

import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import type { Row } from "../../densify/rows.ts";
import type { Slicing } from "../../densify/slicing.ts";
import { type Document, indexedText } from "../../documents/document.ts";
import { readTextsByField, type TextField } from "../../documents/text-fields.ts";
import type { Weighting } from "../../weigh/weighting.ts";

/** What a cluster keeps of a document for scoring. */
interface KeptRow {
  readonly row: Row;
  /** Factors of BM25's weights, in the order of the document's terms; none if all are 1. */
  readonly factors: ArrayLike<number>;
}

/** The document, with its weights or factors. Its vector is left out. */
export function documentFromRow(
  { slicing, weighting }: { slicing: Slicing; weighting: Weighting },
  document: Document,
  { row, factors }: KeptRow,
): Document {
  if (weighting.kind === "weights") return { ...document, weights: weightsInRow(slicing, row) };
  return { ...document, ...factorsByTerm(slicing, weighting, document, factors) };
}

/** The weights of a row, by term. */
export function weightsInRow(slicing: Slicing, { slices, indices, values }: Row): Map<string, number> {
  const termOf = (i: number) => slicing.vocabulary.term(slicing.idAt(slices[i], indices[i])!);
  return new Map(Array.from(values, (value, i) => [termOf(i), value]));
}

/** The factors of a document's terms, as its field `termFactors`; no field if there are none. */
export function factorsByTerm(
  { vocabulary }: Slicing,
  { analyzer, textFields }: { readonly analyzer: Analyzer; readonly textFields?: readonly TextField[] },
  document: Document,
  factors: ArrayLike<number>,
): Pick<Document, "termFactors"> {
  if (factors.length === 0) return {};
  const where = "the document";
  const texts = textFields
    ? readTextsByField(document, textFields, where).flat()
    : [indexedText(document, where)];
  const held = new Set(texts.flatMap((text) => analyzer.terms(text)));
  const knownTerms = [...held].filter((term) => vocabulary.findId(term) !== undefined);
  return { termFactors: new Map(knownTerms.map((term, i) => [term, factors[i]])) };
}
