// How an index weighs words: by BM25, or by weights that come with the documents and were made elsewhere.

import type { Analyzer } from "../analyze/analyzer.ts";
import type { Bm25Parameters, Statistics } from "./bm25.ts";

/** The analyser cuts queries in both cases; documents only where the weights are BM25's. */
export type LexicalModel =
  | {
      readonly kind: "bm25";
      readonly analyzer: Analyzer;
      readonly parameters: Bm25Parameters;
      readonly statistics: Statistics;
    }
  | { readonly kind: "weights"; readonly analyzer: Analyzer };
