// How an index weights terms: by BM25, or with weights that come with the documents.

import type { Analyzer } from "../analyze/contract/analyzer.ts";
import type { TextField } from "../documents/text-fields.ts";
import type { Bm25Parameters, Statistics } from "./bm25.ts";

/** The analyzer cuts queries in both cases. It cuts documents only with BM25. */
export type Weighting =
  | {
      readonly kind: "bm25";
      readonly analyzer: Analyzer;
      readonly parameters: Bm25Parameters;
      readonly statistics: Statistics;
      /** The fields whose texts are searched. By default title and text as one text. */
      readonly textFields?: readonly TextField[];
    }
  | { readonly kind: "weights"; readonly analyzer: Analyzer };

/** The text fields of an index; undefined if it reads title and text as one. */
export function textFieldsIn(weighting: Weighting): readonly TextField[] | undefined {
  return weighting.kind === "bm25" ? weighting.textFields : undefined;
}

/** Whether the terms of an index are words, so that they can be corrected and completed. */
export function hasWords(weighting: Weighting): weighting is Extract<Weighting, { kind: "bm25" }> {
  return weighting.kind === "bm25" && weighting.analyzer.name !== "wordpiece";
}
