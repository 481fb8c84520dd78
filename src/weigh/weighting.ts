// How an index weights terms: by BM25, or with weights that come with the documents.

import type { Analyzer } from "../analyze/contract/analyzer.ts";
import type { Bm25Parameters, Statistics } from "./bm25.ts";

/** The analyzer cuts queries in both cases. It cuts documents only with BM25. */
export type Weighting =
  | {
      readonly kind: "bm25";
      readonly analyzer: Analyzer;
      readonly parameters: Bm25Parameters;
      readonly statistics: Statistics;
    }
  | { readonly kind: "weights"; readonly analyzer: Analyzer };
