// New terms of a lexicon → their cells. A slicing that waits for the first documents is made from those in the buffer.

import { createSpreadSlicing } from "../../densify/spread-slicing.ts";
import type { OnProgress } from "../../support/options/progress.ts";
import type { DocumentBuffer } from "./buffer.ts";
import type { Lexicon } from "./lexicon.ts";

interface CellOptions {
  /** How many documents `spread` slicing learns from. */
  readonly sample: number | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/** Gives new terms a cell. Returns whether the slicing still waits for the first documents. */
export function assignCells(
  lexicon: Lexicon,
  buffer: DocumentBuffer,
  isSlicingPending: boolean,
  { sample, onProgress }: CellOptions,
): boolean {
  const { slicing } = lexicon;
  const documents = buffer.slicingDocuments();
  if (!isSlicingPending || documents.docs === 0) {
    lexicon.assignArrived();
    return isSlicingPending;
  }
  if (slicing.settings.strategy === "spread") {
    lexicon.assignArrived((terms) => {
      const vocabulary = slicing.vocabulary.extended(terms);
      const options = { sample, onProgress };
      return createSpreadSlicing(vocabulary, slicing.settings.dims, documents, lexicon.weighting(), options);
    });
  } else {
    buffer.renumber(lexicon.closeVocabulary());
  }
  return false;
}
