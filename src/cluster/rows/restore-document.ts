// A document that the cluster keeps → the document as it was given: with the weights, or the factors, that its row holds.

import { type Document, textOf } from "../../documents/document.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { FLOAT16 } from "../../support/numbers/float16.ts";
import { rowOf, type StoredRow } from "./stored-row.ts";

/** The document, with its weights or factors. Its vector is left out. */
export function restoreDocument(
  { slicing, weighting }: Snapshot,
  document: Document,
  stored: StoredRow,
): Document {
  const { vocabulary } = slicing;
  if (weighting.kind === "weights") {
    const { slices, indices, values } = rowOf(stored);
    const termOf = (i: number) => vocabulary.term(slicing.idAt(slices[i], indices[i])!);
    return { ...document, weights: new Map(Array.from(values, (value, i) => [termOf(i), value])) };
  }
  if (stored.factors.length === 0) return document;
  const held = new Set(weighting.analyzer.terms(textOf(document, "the document")));
  const known = [...held].filter((term) => vocabulary.id(term) !== undefined);
  return { ...document, termFactors: new Map(known.map((term, i) => [term, FLOAT16[stored.factors[i]]])) };
}
